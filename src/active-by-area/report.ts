import type { Credential } from '../access/credential-record.ts';
import type { AreaType } from '../db/schema/configuration.ts';
import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import type { Deadline } from '../http/deadline.ts';
import { Refusal } from '../http/refusal.ts';
import { chosenMunicipality, municipalitiesAsked } from '../municipality/choice.ts';
import type { SnapshotsOnTheSpot } from '../snapshots/on-the-spot.ts';
import type { Snapshot, SnapshotArea, SnapshotSource } from '../snapshots/snapshot.ts';
import { type Municipality, readPlace } from './facts.ts';
import type { ReportRequest } from './request.ts';

/** The instants and bindings of a call. */
export interface ReportContext {
  readonly env: Env;
  readonly now: Instant;
  readonly deadline: Deadline;
  readonly credential: Credential;
  readonly execution: { waitUntil(promise: Promise<unknown>): void };
  /** Told the municipality's code as soon as it is chosen, also where the call is refused for another reason. */
  readonly onMunicipality: (code: string) => void;
  /** Where the snapshots are, and how this isolate makes one itself. */
  readonly onTheSpot: SnapshotsOnTheSpot;
}

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
export async function reportActiveByArea(request: ReportRequest, context: ReportContext): Promise<Report> {
  const { deadline, now } = context;
  const snapshot = await deadline.race(snapshotFor(request.municipality_code ?? undefined, context));
  const areaType = request.area_type;
  const areas = snapshot.areas.filter((area) => area.areaType === areaType);
  if (areaType === 'facility' && areas.length === 0) {
    throw new Refusal('NO_ACTIVE_FACILITIES');
  }
  const selectedSource = selectSource(snapshot, request.source_id ?? null);
  return { now, snapshot, areaType, areas, selectedSource };
}

/**
 * A snapshot may say that the municipality is to be reported on. That it is not, only the primary database may say,
 * and it says as well which municipality is meant where the credential leaves a choice.
 */
async function snapshotFor(asked: string | undefined, context: ReportContext): Promise<Snapshot> {
  const { env, now, credential, onTheSpot } = context;
  const codes = municipalitiesAsked(asked, credential);
  const [only] = codes;
  if (codes.length === 1 && only !== undefined) {
    const snapshot = await onTheSpot.find(env, only, now, (found) => mayReport(found, credential));
    if (snapshot !== null) {
      context.onMunicipality(only);
      return snapshot;
    }
    return makeSnapshot(await chooseMunicipality(codes, context), context);
  }
  const municipality = await chooseMunicipality(codes, context);
  const snapshot = await onTheSpot.find(env, municipality.code, now);
  return snapshot ?? makeSnapshot(municipality, context);
}

function mayReport({ municipality }: Snapshot, { tenantId }: Credential): boolean {
  return municipality.tenantActive && municipality.reportEnabled && municipality.tenantId === tenantId;
}

async function chooseMunicipality(
  codes: readonly string[],
  { env, credential, onMunicipality }: ReportContext,
): Promise<Municipality> {
  const choice = chosenMunicipality(await readPlace(env.DB, credential.tenantId, codes));
  if ('refused' in choice) {
    throw new Refusal(choice.refused);
  }
  onMunicipality(choice.chosen.code);
  if (!choice.chosen.reportEnabled) {
    throw new Refusal('SERVICE_DISABLED');
  }
  return choice.chosen;
}

async function makeSnapshot({ id }: Municipality, context: ReportContext): Promise<Snapshot> {
  const { env, now, execution, onTheSpot } = context;
  const snapshot = await onTheSpot.make(env, id, now, execution);
  if (snapshot === null) {
    // Switched off since it was chosen.
    throw new Refusal('MUNICIPALITY_NOT_ALLOWED');
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
