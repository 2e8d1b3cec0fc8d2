import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { judgeEntitlement } from '../../domain/entitlement.ts';
import type { Instant } from '../../domain/instant.ts';
import { conclude, type OtherArea } from '../../domain/patrol/finding.ts';
import { paymentDue } from '../../domain/patrol/paid-hours.ts';
import { platesOneSlipAway } from '../../domain/patrol/similar-plates.ts';
import { mayBePaid, mayBeRenewed, type SeenIn, standingOf } from '../../domain/patrol/standing.ts';
import type { Plate } from '../../domain/plate.ts';
import { type Grant, mayName } from '../../serving/access/grant.ts';
import type { ItemRefusal } from './contract.ts';
import type { PatrolMunicipality, Sighting } from './facts.ts';

/** A sighting that was refused alone. */
export interface RefusedItem {
  /** Null if it has none. */
  readonly plate: Plate | null;
  readonly refused: ItemRefusal;
}

export type Item = RefusedItem | ReturnType<typeof judge>;

/**
 * Judges a sighting by the facts of the municipality.
 *
 * @throws UnreadError
 */
export function judgeSighting(
  municipality: PatrolMunicipality,
  grant: Grant,
  sighting: Sighting,
  now: Instant,
): Item {
  const { plate, areaCode } = sighting;
  if (!mayName(grant, areaCode)) return { plate, refused: 'AREA_FORBIDDEN' };
  const area = municipality.areas.get(areaCode);
  if (area?.active !== true) return { plate, refused: 'AREA_NOT_FOUND' };
  return judge(municipality, grant, area, sighting, now);
}

function judge(
  municipality: PatrolMunicipality,
  grant: Grant,
  area: NonNullable<ReturnType<PatrolMunicipality['areas']['get']>>,
  { plate, seenAt }: Sighting,
  now: Instant,
) {
  const { tolerance, timeZone, holidays, sources, subscriptionsEnabled } = municipality;
  const { sessions, subscriptions, unread } = municipality.factsOf(plate);
  if (unread.length > 0) throw new UnreadError(municipality.code, unread, sourceOfMost(sessions));
  const standing = standingIn(municipality, plate, area, seenAt);
  const due = paymentDue({ paidHours: area.paidHours, holidays, timeZone }, seenAt);
  const needsDoubts = standing === null && due;
  const conclusion = conclude(
    {
      ...{ seenAt, standing, sources, paymentDue: due },
      lineRejected: municipality.isRejected(plate),
      paymentUnsettled: mayBePaid(municipality.unsettledOf(plate), seenAt),
      subscriptionMayBeRenewed: needsDoubts && mayBeRenewed(subscriptions, area.code, seenAt),
      similarPlateEntitled: needsDoubts && isSimilarEntitled(municipality, plate, area, seenAt),
      validIn: needsDoubts ? otherAreas(municipality, grant, plate, area.code, seenAt) : [],
    },
    tolerance,
    now,
  );
  const rights = rightsIn(municipality, plate, area.code);
  const facts = { ...rights, subscriptionsSupported: subscriptionsEnabled, areaCode: area.code };
  return { plate, seenAt, area, verdict: judgeEntitlement(facts, seenAt), paymentDue: due, conclusion };
}

/** The rights of a plate in an area. */
function rightsIn(municipality: PatrolMunicipality, plate: Plate, areaCode: string) {
  const { sessions, subscriptions } = municipality.factsOf(plate);
  return { sessions: sessions.filter(({ area }) => area.code === areaCode), subscriptions };
}

const standingIn = (municipality: PatrolMunicipality, plate: Plate, area: SeenIn, seenAt: Instant) =>
  standingOf(rightsIn(municipality, plate, area.code), area, seenAt, municipality.tolerance);

/**
 * Whether a plate one slip away is entitled here.
 *
 * @throws UnreadError
 */
function isSimilarEntitled(
  municipality: PatrolMunicipality,
  plate: Plate,
  area: SeenIn,
  seenAt: Instant,
): boolean {
  const similar = platesOneSlipAway(plate);
  if (similar.some((other) => standingIn(municipality, other, area, seenAt) !== null)) return true;
  const unread = similar.flatMap((other) => municipality.factsOf(other).unread);
  if (unread.length > 0) throw new UnreadError(municipality.code, [...new Set(unread)]);
  return false;
}

/** The other active areas in which the plate is entitled, and about which the caller may ask. */
function otherAreas(
  municipality: PatrolMunicipality,
  grant: Grant,
  plate: Plate,
  here: string,
  seenAt: Instant,
): OtherArea[] {
  const { sessions, subscriptions } = municipality.factsOf(plate);
  const areas = new Map<string, SeenIn & OtherArea>();
  for (const code of subscriptions.flatMap((title) => (title.areas === 'all' ? [] : title.areas))) {
    const name = municipality.areasOfTitles.get(code);
    if (name !== undefined) areas.set(code, { code, name, facility: null });
  }
  for (const { area } of sessions) if (area.active) areas.set(area.code, area);
  return [...areas.values()].filter(
    (area) =>
      area.code !== here &&
      mayName(grant, area.code) &&
      standingIn(municipality, plate, area, seenAt) !== null,
  );
}
