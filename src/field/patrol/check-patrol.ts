import { refuse } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import { checkInstant, type Lookback } from '../../domain/check-instant.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { type Item, judgeSighting } from './check.ts';
import type { ItemRefusal, PatrolRequest, patrolRequest } from './contract.ts';
import { readPatrol, type Sighting } from './facts.ts';
import { presentPatrol } from './present.ts';

/** How far back a sighting may lie, whatever the credential allows, since officers ask about it again. */
const MIN_LOOKBACK_MS = 2 * DAY_MS;

/**
 * Answers what an officer may conclude from sightings. Nothing is read before the grant: a call may have many plates, and each
 * costs one of the budget.
 */
export async function checkPatrol(c: JsonCall<typeof patrolRequest>): Promise<Response> {
  const { checks, municipality_code: named } = c.req.valid('json');
  const now = c.get('now');
  const language = c.get('language');
  const log = c.get('log');
  const admission = c.get('admission');
  const grant = await admission.granted;
  await admission.spend(checks.length, 'checks');
  const code = await grantedCode(c.env.DB, grant, named);
  const lookback = lookbackOf(c.env, grant.historicalDaysAllowed);
  const asked = checks.map((check) => sightingOf(check, now, lookback));
  const sightings = asked.flatMap((one) => ('refused' in one ? [] : [one]));
  const municipality = requireGranted(await readPatrol(c.env, code, sightings, now), grant);
  log.municipalityCode = code;
  log.plates = tracesOf(checks, () => 'SERVICE_DISABLED');
  if (!municipality.plateCheckEnabled) refuse('SERVICE_DISABLED');

  const items = asked.map((one) => ('refused' in one ? one : judgeSighting(municipality, grant, one, now)));
  for (const item of items) logUnread(c.get('requestId'), item);
  log.plates = tracesOf(checks, (index) => outcomeOf(items[index]));
  return succeed(c, presentPatrol(municipality, checks, items, now, language));
}

/** A sighting that can be judged, or the refusal of that item. */
function sightingOf(
  { plate: text, area_code: areaCode, seen_at }: PatrolRequest['checks'][number],
  now: Instant,
  lookback: Lookback,
): Sighting | { readonly refused: ItemRefusal } {
  const plate = normalizePlate(text);
  if (plate === null) return { refused: 'INVALID_PLATE' };
  const checked = checkInstant(seen_at ?? null, now, { ...lookback, atLeastMs: MIN_LOOKBACK_MS });
  return 'refused' in checked ? checked : { plate, areaCode, seenAt: checked.at };
}

/** The traces that a call leaves in the call log: each plate, with its finding or the code of its refusal. */
const tracesOf = (checks: PatrolRequest['checks'], outcome: (index: number) => string) =>
  checks.flatMap(({ plate: text }, index) => {
    const plate = normalizePlate(text);
    return plate === null ? [] : [{ plate, outcome: outcome(index) }];
  });

function outcomeOf(item: Item | undefined): string {
  if (item === undefined) return 'TEMPORARY_ERROR';
  return 'refused' in item ? item.refused : item.conclusion.finding;
}

function logUnread(requestId: string, item: Item): void {
  if (!('refused' in item) || item.cause === undefined) return;
  const { name, message, municipality, source } = item.cause;
  logEvent('error', 'failure', {
    ...{ request_id: requestId, operation: 'patrol', name, message },
    ...{ municipality_code: municipality, source_code: source },
  });
}
