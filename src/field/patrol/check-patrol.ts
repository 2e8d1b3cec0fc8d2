import { refuse } from '../../base/errors/refusal.ts';
import { UnreadError } from '../../base/errors/unread.ts';
import { lookbackOf } from '../../base/platform/retention-days.ts';
import { checkInstant, type Lookback } from '../../domain/check-instant.ts';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { logFailure } from '../../serving/middleware/on-error.ts';
import { type Item, judgeSighting, type RefusedItem } from './check.ts';
import type { PatrolRequest, patrolRequest } from './contract.ts';
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
  const log = c.get('log');
  const admission = c.get('admission');
  const grant = await admission.granted;
  await admission.spend(checks.length, 'checks');
  const code = await grantedCode(c.env.DB, grant, named);
  const lookback = lookbackOf(c.env, grant.historicalDaysAllowed);
  const asked = checks.map((check) => sightingOf(check, now, lookback));
  const sightings = asked.filter((one): one is Sighting => !('refused' in one));
  const municipality = requireGranted(await readPatrol(c.env, code, sightings, now), grant);
  log.municipalityCode = code;
  log.plates = tracesOf(asked, () => 'SERVICE_DISABLED');
  if (!municipality.plateCheckEnabled) refuse('SERVICE_DISABLED');

  const items = asked.map((one): Item => {
    if ('refused' in one) return one;
    try {
      return judgeSighting(municipality, grant, one, now);
    } catch (error) {
      if (!(error instanceof UnreadError)) throw error;
      logFailure(c, error);
      return { plate: one.plate, refused: 'TEMPORARY_ERROR' };
    }
  });
  log.plates = tracesOf(items, (item) => ('refused' in item ? item.refused : item.conclusion.finding));
  return succeed(c, presentPatrol(municipality, checks, items, now, c.get('language')));
}

/** A sighting that can be judged, or the refusal of that item. */
function sightingOf(
  { plate: text, area_code: areaCode, seen_at }: PatrolRequest['checks'][number],
  now: Instant,
  lookback: Lookback,
): Sighting | RefusedItem {
  const plate = normalizePlate(text);
  if (plate === null) return { plate, refused: 'INVALID_PLATE' };
  const checked = checkInstant(seen_at ?? null, now, { ...lookback, atLeastMs: MIN_LOOKBACK_MS });
  return 'refused' in checked ? { plate, refused: checked.refused } : { plate, areaCode, seenAt: checked.at };
}

/** The traces that a call leaves in the call log: each plate, with its finding or the code of its refusal. */
const tracesOf = <One extends { readonly plate: Plate | null }>(
  items: readonly One[],
  outcomeOf: (item: One) => string,
) => items.flatMap((item) => (item.plate === null ? [] : [{ plate: item.plate, outcome: outcomeOf(item) }]));
