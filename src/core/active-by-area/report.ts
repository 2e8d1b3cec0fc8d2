import { withSubject } from '../../base/errors/call-subject.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Instant } from '../../domain/instant.ts';
import { chooseGranted } from '../../serving/lookups/municipality.ts';
import type { ValidRequest } from '../../serving/pipeline/operation.ts';
import type { EarlyCallContext, EarlyReading, GrantedCallContext } from '../../serving/pipeline/reading.ts';
import type { AreaType } from '../../storage/db/schema/configuration.ts';
import { OnDemandSnapshots } from '../snapshots/on-demand.ts';
import type { Snapshot, SnapshotArea, SnapshotSource } from '../snapshots/snapshot.ts';
import type { ReportRequest } from './contract.ts';
import { type ReportMunicipality, readReportMunicipalities } from './facts.ts';

/** A municipality's snapshot, and the requested part. */
export interface Report {
  /** The instant of the answer, at which freshness is judged, however old the snapshot. */
  readonly now: Instant;
  readonly snapshot: Snapshot;
  readonly areaType: AreaType;
  /** Of the area type. */
  readonly areas: readonly SnapshotArea[];
  readonly selectedSource: SnapshotSource | null;
}

/** The snapshot of the municipality that a call names. The value may be another tenant's: the grant decides. */
export const snapshotReading: EarlyReading<ValidRequest<ReportRequest>, Snapshot | null> = {
  kind: 'early',
  read: async ({ body: { municipality_code: code } }, { env, isolate, now }) =>
    code === undefined ? null : isolate.get(OnDemandSnapshots).find(env, code, now, isReported),
};

type Context = EarlyCallContext<Snapshot | null>;

/**
 * The active vehicles of a municipality's areas, from its snapshot where there is a recent one, else from the
 * database.
 *
 * @throws Refusal of the municipality, the service, the areas or the source, in this order
 */
export async function reportActiveByArea(request: ReportRequest, context: Context): Promise<Report> {
  const { deadline, now } = context;
  const snapshot = await deadline.race(snapshotFor(request.municipality_code, context));
  return withSubject({ municipality: snapshot.municipality.code }, () => {
    const areaType = request.area_type;
    const areas = snapshot.areas.filter((area) => area.areaType === areaType);
    if (areaType === 'facility' && areas.length === 0) {
      refuse('NO_ACTIVE_FACILITIES');
    }
    const selectedSource = selectSource(snapshot, request.source_id ?? null);
    return { now, snapshot, areaType, areas, selectedSource };
  });
}

/**
 * A snapshot is enough to report on a municipality. Only the database may refuse it, and only the database chooses
 * the municipality where the credential leaves a choice.
 */
async function snapshotFor(code: string | undefined, context: Context): Promise<Snapshot> {
  const { grant, early, isolate, env, now } = context;
  const read = (of: string, isUsable: (snapshot: Snapshot) => boolean) =>
    isolate.get(OnDemandSnapshots).find(env, of, now, isUsable);
  const [only, another] = grant.municipalities;
  if (only !== undefined && another === undefined) {
    const snapshot = await (code === undefined ? read(only, isReported) : early);
    if (snapshot !== null && snapshot.municipality.tenantId === grant.tenantId) {
      return snapshot;
    }
  }
  const choose = () => chooseGranted(env, grant, code, readReportMunicipalities, 'active');
  const municipality = await choose();
  return withSubject({ municipality: municipality.code }, async () => {
    if (!municipality.reportEnabled) {
      refuse('SERVICE_DISABLED');
    }
    const snapshot = another === undefined ? null : await read(municipality.code, () => true);
    return snapshot ?? makeSnapshot(municipality, choose, context);
  });
}

const isReported = ({ municipality }: Snapshot): boolean =>
  municipality.tenantActive && municipality.reportEnabled;

/** @param again chooses again, and refuses a municipality that was switched off since */
async function makeSnapshot(
  { id }: ReportMunicipality,
  again: () => Promise<ReportMunicipality>,
  { env, now, waitUntil, isolate }: GrantedCallContext,
): Promise<Snapshot> {
  const snapshot = await isolate.get(OnDemandSnapshots).compute(env, id, now, { waitUntil });
  if (snapshot === null) {
    await again();
    throw new Error('the municipality was switched off while its snapshot was computed');
  }
  return snapshot;
}

function selectSource({ sources }: Snapshot, id: number | null): SnapshotSource | null {
  if (id === null) {
    return null;
  }
  const source = sources.find((candidate) => candidate.id === id && candidate.active);
  if (source === undefined) {
    refuse('SOURCE_NOT_FOUND');
  }
  return source;
}
