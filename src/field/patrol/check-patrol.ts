import { refuse } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { digestKeys, plateDigests } from '../../storage/plate-digest/plate-digest.ts';
import { judgeItem } from './check.ts';
import type { patrolRequest } from './contract.ts';
import { NOTHING_READ, type PatrolMunicipality, type PatrolQuery, readPatrol } from './facts.ts';
import { presentPatrol } from './present.ts';
import { readRejected } from './rejected-table.ts';

/**
 * Answers what an officer may conclude from sightings. Nothing is read before the grant: a call may have many plates, and each
 * costs one of the budget.
 */
export async function checkPatrol(c: JsonCall<typeof patrolRequest>): Promise<Response> {
  const { checks, municipality_code: named } = c.req.valid('json');
  const { env } = c;
  const { now, language, log, admission } = c.var;
  const query: PatrolQuery = {
    now,
    sightings: checks.map(({ plate, area_code, seen_at }) => ({
      plate: normalizePlate(plate),
      areaCode: area_code,
      seenAt: seen_at ?? now,
    })),
  };
  const grant = await admission.granted;
  await admission.spend(checks.length, 'checks');
  const code = await grantedCode(env.DB, grant, named);
  const municipality = requireGranted(await readPatrol(env.DB, code, query, grant), grant);
  log.municipalityCode = code;
  log.plates = tracesOf(query, () => 'SERVICE_DISABLED');
  if (!municipality.plateCheckEnabled) refuse('SERVICE_DISABLED');

  const lookback = lookbackOf(env, grant.historicalDaysAllowed);
  const isRejected = await lineRejectionOf(env, municipality, query, now);
  const items = query.sightings.map((asked, index) =>
    judgeItem(
      { municipality, grant, now, lookback, isRejected },
      asked,
      municipality.own[index] ?? NOTHING_READ,
    ),
  );
  for (const item of items) {
    if ('refused' in item && item.cause !== undefined) {
      const { name, message, source } = item.cause;
      logEvent('error', 'failure', {
        request_id: c.var.requestId,
        operation: 'patrol',
        name,
        message,
        municipality_code: code,
        source_code: source,
      });
    }
  }
  log.plates = tracesOf(query, (index) => {
    const item = items[index] ?? { refused: 'TEMPORARY_ERROR' };
    return 'refused' in item ? item.refused : item.conclusion.finding;
  });
  return succeed(c, presentPatrol(municipality, checks, items, now, language));
}

/** The traces that a call leaves in the call log: each plate, with its finding or the code of its refusal. */
const tracesOf = ({ sightings }: PatrolQuery, outcomeOf: (index: number) => string) =>
  sightings.flatMap(({ plate }, index) => (plate === null ? [] : [{ plate, outcome: outcomeOf(index) }]));

/**
 * Whether a rejected line has named a plate, or may have. Without a usable key the named plates are unknown:
 * any plate may have been named.
 */
async function lineRejectionOf(
  env: Env,
  { code, hasRejected, doubtsEveryPlate }: PatrolMunicipality,
  { sightings }: PatrolQuery,
  now: Instant,
): Promise<(plate: Plate) => boolean> {
  const keys = digestKeys(env);
  if (doubtsEveryPlate || !hasRejected || keys.length === 0) {
    return () => doubtsEveryPlate || hasRejected;
  }
  const plates = [...new Set(sightings.flatMap(({ plate }) => (plate === null ? [] : [plate])))];
  const digests = await Promise.all(plates.map((plate) => plateDigests(keys, code, plate)));
  const kept = await readRejected(env.DB, digests.flat(), now);
  const named = new Set(plates.filter((_, index) => digests[index]?.some((digest) => kept.has(digest))));
  return (plate) => named.has(plate);
}
