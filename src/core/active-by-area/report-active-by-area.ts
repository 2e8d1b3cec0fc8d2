import { refuse } from '../../base/errors/refusal.ts';
import type { Grant } from '../../serving/access/grant.ts';
import { succeedWith } from '../../serving/answer.ts';
import type { Call, JsonCall } from '../../serving/call.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { findMunicipality, readTwoActive } from '../snapshots/municipality-rows-table.ts';
import { OnDemandSnapshots } from '../snapshots/on-demand.ts';
import type { Snapshot, SnapshotSource } from '../snapshots/snapshot.ts';
import { readSnapshot } from '../snapshots/snapshot-store.ts';
import type { reportRequest } from './contract.ts';
import { reportText } from './present.ts';

/**
 * Answers the active vehicles of a municipality's areas, from its snapshot where there is a recent one, else from the
 * database. The snapshot of a named municipality is read while the admission is being decided.
 */
export async function reportActiveByArea(c: JsonCall<typeof reportRequest>): Promise<Response> {
  const { municipality_code: named, area_type: areaType, source_id: sourceId } = c.req.valid('json');
  const now = c.get('now');
  // It never fails, so that a refused call may leave it.
  const early = named !== undefined && c.get('admission').mayReadEarly ? readSnapshot(c, named) : null;
  const grant = await c.get('admission').granted;
  const code = await reportedCode(c, grant, named);
  const found = await (early ?? readSnapshot(c, code));
  const snapshot = found && isReportedTo(grant, found) ? found : await makeSnapshot(c, grant, code);
  c.get('log').municipalityCode = snapshot.municipality.code;

  const areas = snapshot.areas.filter((area) => area.areaType === areaType);
  if (areaType === 'facility' && areas.length === 0) refuse('NO_ACTIVE_FACILITIES');
  const selectedSource = sourceId == null ? null : selectSource(snapshot, sourceId);
  return succeedWith(c, await reportText({ now, snapshot, areaType, areas, selectedSource }));
}

/** Of several that the credential may name, only the active ones leave a choice. */
async function reportedCode(c: Call, grant: Grant, named: string | undefined): Promise<string> {
  // No office has the report's scope: a grant names its municipalities.
  const { tenantCode, municipalities: among } = grant;
  const isChoice = named === undefined && among !== null && among.length > 1;
  const municipalities = isChoice ? await readTwoActive(c.env.DB, tenantCode, among) : among;
  return grantedCode(c.env.DB, { ...grant, municipalities }, named);
}

/** A snapshot is enough to report on a municipality; only the database may refuse it. */
const isReportedTo = ({ tenantCode }: Grant, { municipality }: Snapshot): boolean =>
  municipality.tenantCode === tenantCode && municipality.tenantActive && municipality.reportEnabled;

/** @throws Refusal of the municipality or its service */
async function makeSnapshot(c: Call, grant: Grant, code: string): Promise<Snapshot> {
  const municipality = requireGranted(await findMunicipality(c.env.DB, code), grant);
  c.get('log').municipalityCode = code;
  if (!municipality.reportEnabled) refuse('SERVICE_DISABLED');
  return c.get('isolate').get(OnDemandSnapshots).compute(c, municipality);
}

const selectSource = ({ sources }: Snapshot, id: number): SnapshotSource =>
  sources.find((candidate) => candidate.id === id && candidate.active) ?? refuse('SOURCE_NOT_FOUND');
