import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { type EntitlementVerdict, judgeEntitlement } from '../../domain/entitlement.ts';
import type { Instant } from '../../domain/instant.ts';
import { type Conclusion, conclude } from '../../domain/patrol/finding.ts';
import { paymentDue } from '../../domain/patrol/paid-hours.ts';
import { platesOneSlipAway } from '../../domain/patrol/similar-plates.ts';
import {
  mayBePaid,
  mayBeRenewed,
  type Rights,
  type SeenIn,
  standingOf,
} from '../../domain/patrol/standing.ts';
import type { Plate } from '../../domain/plate.ts';
import { type Grant, mayName } from '../../serving/access/grant.ts';
import type { ItemRefusal } from './contract.ts';
import type { PatrolArea, PatrolMunicipality, Sighting } from './facts.ts';

/** A sighting that was refused alone. */
interface RefusedItem {
  readonly refused: ItemRefusal;
  /** For the structured log. */
  readonly cause?: UnreadError;
}

/** A sighting that could be judged. */
interface JudgedItem {
  readonly plate: Plate;
  readonly seenAt: Instant;
  readonly area: PatrolArea;
  readonly verdict: EntitlementVerdict;
  readonly paymentDue: boolean;
  readonly conclusion: Conclusion;
  /** The names of the other areas in doubts, by code. */
  readonly areaNames: ReadonlyMap<string, string>;
}

export type Item = RefusedItem | JudgedItem;

/** The caller's rights that matter to a sighting. */
type Caller = Pick<Grant, 'areas'>;

/** Judges a sighting by the facts of the municipality. */
export function judgeSighting(
  municipality: PatrolMunicipality,
  caller: Caller,
  sighting: Sighting,
  now: Instant,
): Item {
  if (!mayName(caller, sighting.areaCode)) return { refused: 'AREA_FORBIDDEN' };
  const area = municipality.areas.get(sighting.areaCode);
  if (area?.active !== true) return { refused: 'AREA_NOT_FOUND' };
  try {
    return judge(municipality, caller, area, sighting, now);
  } catch (error) {
    if (error instanceof UnreadError) return { refused: 'TEMPORARY_ERROR', cause: error };
    throw error;
  }
}

/** @throws UnreadError */
function judge(
  municipality: PatrolMunicipality,
  caller: Caller,
  area: PatrolArea,
  { plate, seenAt }: Sighting,
  now: Instant,
): JudgedItem {
  const { tolerance, timeZone, holidays, sources } = municipality;
  const { sessions, subscriptions, unread } = municipality.factsOf(plate);
  if (unread.length > 0) throw new UnreadError(municipality.code, unread, sourceOfMost(sessions));
  const here = rightsIn(municipality, plate, area.code);
  const standing = standingOf(here, area, seenAt, tolerance);
  const due = paymentDue({ paidHours: area.paidHours, holidays, timeZone }, seenAt);
  const needsDoubts = standing === null && due;
  const others = needsDoubts
    ? otherAreas(municipality, caller, area.code, { plate, seenAt })
    : new Map<string, string>();
  const conclusion = conclude(
    {
      ...{ seenAt, standing, sources, paymentDue: due },
      lineRejected: municipality.isRejected(plate),
      paymentUnsettled: mayBePaid(municipality.unsettledOf(plate), seenAt),
      subscriptionMayBeRenewed: needsDoubts && mayBeRenewed(subscriptions, area.code, seenAt),
      similarPlateEntitled: needsDoubts && isSimilarEntitled(municipality, area, { plate, seenAt }),
      validIn: [...others.keys()],
    },
    tolerance,
    now,
  );
  const { subscriptionsEnabled: subscriptionsSupported } = municipality;
  const facts = { sessions: here.sessions, subscriptions, subscriptionsSupported, areaCode: area.code };
  const verdict = judgeEntitlement(facts, seenAt);
  return { plate, seenAt, area, verdict, paymentDue: due, conclusion, areaNames: others };
}

/** The rights of a plate in an area. */
function rightsIn(municipality: PatrolMunicipality, plate: Plate, areaCode: string) {
  const { sessions, subscriptions } = municipality.factsOf(plate);
  return { sessions: sessions.filter(({ area }) => area.code === areaCode), subscriptions } satisfies Rights;
}

type Seen = Pick<Sighting, 'plate' | 'seenAt'>;

/**
 * Whether a plate one slip away is entitled here.
 *
 * @throws UnreadError
 */
function isSimilarEntitled(municipality: PatrolMunicipality, area: SeenIn, { plate, seenAt }: Seen): boolean {
  const similar = platesOneSlipAway(plate);
  const isEntitled = similar.some(
    (other) =>
      standingOf(rightsIn(municipality, other, area.code), area, seenAt, municipality.tolerance) !== null,
  );
  const unread = similar.flatMap((other) => municipality.factsOf(other).unread);
  if (!isEntitled && unread.length > 0) throw new UnreadError(municipality.code, [...new Set(unread)]);
  return isEntitled;
}

/** The other active areas in which the plate is entitled and about which the caller may ask: names by code. */
function otherAreas(
  municipality: PatrolMunicipality,
  caller: Caller,
  here: string,
  { plate, seenAt }: Seen,
): ReadonlyMap<string, string> {
  const { sessions, subscriptions } = municipality.factsOf(plate);
  const areas = new Map<string, SeenIn & { readonly name: string }>();
  for (const code of subscriptions.flatMap((title) => (title.areas === 'all' ? [] : title.areas))) {
    const name = municipality.areasOfTitles.get(code);
    if (name !== undefined) areas.set(code, { code, name, facility: null });
  }
  for (const { area } of sessions) if (area.active) areas.set(area.code, area);
  const valid = [...areas.values()].filter(
    (area) =>
      area.code !== here &&
      mayName(caller, area.code) &&
      standingOf(rightsIn(municipality, plate, area.code), area, seenAt, municipality.tolerance) !== null,
  );
  return new Map(valid.map(({ code, name }) => [code, name]));
}
