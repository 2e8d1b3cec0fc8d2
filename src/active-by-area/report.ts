import type { Grant } from '../access/grant.ts';
import type { AreaType } from '../db/schema/configuration.ts';
import type { Instant } from '../domain/instant.ts';
import { withSubject } from '../errors/call-subject.ts';
import { Refusal } from '../errors/refusal.ts';
import { readGranted } from '../lookups/located-municipality.ts';
import { chooseMunicipality } from '../lookups/municipality-choice.ts';
import type { CredentialCallContext } from '../pipeline/operation.ts';
import { OnDemandSnapshots } from '../snapshots/on-demand.ts';
import type { Snapshot, SnapshotArea, SnapshotSource } from '../snapshots/snapshot.ts';
import type { ReportRequest } from './contract.ts';
import { type ReportMunicipality, readReportMunicipalities } from './facts.ts';

/** A municipality's snapshot, and the part of it that was asked for. */
export interface Report {
  /** The instant of the answer: what is fresh is judged by it, however old the snapshot. */
  readonly now: Instant;
  readonly snapshot: Snapshot;
  readonly areaType: AreaType;
  /** Of the area type. */
  readonly areas: readonly SnapshotArea[];
  readonly selectedSource: SnapshotSource | null;
}

/**
 * The active vehicles of a municipality's areas, from its snapshot where there is a recent one, else from the
 * database.
 *
 * @throws Refusal of the municipality, the service, the areas or the source, in this order
 */
export async function reportActiveByArea(
  request: ReportRequest,
  context: CredentialCallContext,
): Promise<Report> {
  const { deadline, now } = context;
  const snapshot = await deadline.race(snapshotFor(request.municipality_code ?? null, context));
  return withSubject({ municipality: snapshot.municipality.code }, () => {
    const areaType = request.area_type;
    const areas = snapshot.areas.filter((area) => area.areaType === areaType);
    if (areaType === 'facility' && areas.length === 0) {
      throw new Refusal('NO_ACTIVE_FACILITIES');
    }
    const selectedSource = selectSource(snapshot, request.source_id ?? null);
    return { now, snapshot, areaType, areas, selectedSource };
  });
}

/**
 * A snapshot may say that the municipality is to be reported on. That it is not, only the primary database may say,
 * and it says as well which municipality is meant where the credential leaves a choice.
 */
async function snapshotFor(code: string | null, context: CredentialCallContext): Promise<Snapshot> {
  const { admission, isolate, env, now } = context;
  const read = (of: string, isUsable: (snapshot: Snapshot) => boolean) =>
    isolate.the(OnDemandSnapshots).find(env, of, now, isUsable);

  // The value may be another tenant's: it counts for nothing before the admission has granted its municipality.
  const reading = code === null ? null : admission.beside(() => read(code, isReported));
  const grant = await admission.granted;
  const [only] = grant.municipalities;
  if (only !== undefined && grant.municipalities.length === 1) {
    const snapshot = await (reading ?? read(only, isReported));
    if (snapshot !== null && snapshot.municipality.tenantId === grant.tenantId) {
      return snapshot;
    }
  }
  const { municipality, db } = await granted(grant, code, context);
  return withSubject({ municipality: municipality.code }, async () => {
    if (!municipality.reportEnabled) {
      throw new Refusal('SERVICE_DISABLED');
    }
    const snapshot = grant.municipalities.length === 1 ? null : await read(municipality.code, () => true);
    return snapshot ?? makeSnapshot(municipality, db, () => granted(grant, code, context), context);
  });
}

const isReported = ({ municipality }: Snapshot): boolean =>
  municipality.tenantActive && municipality.reportEnabled;

/** The municipality that the credential's object and the primary database leave for the call, and where it lives. */
async function granted(
  grant: Grant,
  code: string | null,
  context: CredentialCallContext,
): Promise<{ readonly municipality: ReportMunicipality; readonly db: D1Database }> {
  const { found, db } = await readGranted(context, grant, code ?? undefined, readReportMunicipalities);
  const choice = chooseMunicipality(found);
  if ('refused' in choice) {
    throw new Refusal(choice.refused);
  }
  return { municipality: choice.chosen, db };
}

/** @param again chooses once more: the municipality may have been switched off, or have gone elsewhere, since */
async function makeSnapshot(
  { id }: ReportMunicipality,
  db: D1Database,
  again: () => ReturnType<typeof granted>,
  { env, now, waitUntil, isolate }: CredentialCallContext,
): Promise<Snapshot> {
  const made = isolate.the(OnDemandSnapshots);
  const compute = (where: D1Database) =>
    made.compute({ db: where, snapshots: env.SNAPSHOTS }, id, now, { waitUntil });
  const snapshot = (await compute(db)) ?? (await compute((await again()).db));
  if (snapshot === null) {
    throw new Error('the municipality went away while its snapshot was made');
  }
  return snapshot;
}

function selectSource({ sources }: Snapshot, id: number | null): SnapshotSource | null {
  if (id === null) {
    return null;
  }
  const source = sources.find((candidate) => candidate.id === id && candidate.active);
  if (source === undefined) {
    throw new Refusal('SOURCE_NOT_FOUND');
  }
  return source;
}
