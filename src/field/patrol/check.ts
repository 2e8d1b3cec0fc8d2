import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { judgeEntitlement } from '../../domain/entitlement.ts';
import type { Instant } from '../../domain/instant.ts';
import { conclude } from '../../domain/patrol/finding.ts';
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

/** A sighting that was refused, or what it comes to. */
export type Item = ReturnType<typeof judgeSighting>;

/**
 * Judges a sighting by the facts of the municipality.
 *
 * @throws UnreadError
 */
export function judgeSighting(
  municipality: PatrolMunicipality,
  grant: Grant,
  { plate, areaCode, seenAt }: Sighting,
  now: Instant,
) {
  const refused = (code: ItemRefusal): RefusedItem => ({ plate, refused: code });
  if (!mayName(grant, areaCode)) return refused('AREA_FORBIDDEN');
  const area = municipality.areas.get(areaCode);
  if (area?.active !== true) return refused('AREA_NOT_FOUND');
  const { sources, rightsOf, factsOf } = municipality;
  const { sessions, subscriptions, unread } = factsOf(plate);
  if (unread.length > 0) throw new UnreadError(municipality.code, unread, sourceOfMost(sessions));

  const isLetGo = (seen: SeenIn, of = plate): boolean =>
    standingOf(rightsOf(of, seen.code), seen, seenAt, municipality) !== null;
  const similarIsLetGo = (): boolean => {
    const similar = platesOneSlipAway(plate);
    if (similar.some((other) => isLetGo(area, other))) return true;
    const unknown = similar.flatMap((other) => factsOf(other).unread);
    if (unknown.length > 0) throw new UnreadError(municipality.code, [...new Set(unknown)]);
    return false;
  };
  const rights = rightsOf(plate, areaCode);
  const standing = standingOf(rights, area, seenAt, municipality);
  const due = paymentDue({ ...municipality, paidHours: area.paidHours }, seenAt);
  const needsDoubts = standing === null && due;
  const conclusion = conclude(
    {
      ...{ seenAt, standing, sources, paymentDue: due },
      lineRejected: municipality.isRejected(plate),
      paymentUnsettled: mayBePaid(municipality.unsettledOf(plate), seenAt),
      subscriptionMayBeRenewed: needsDoubts && mayBeRenewed(subscriptions, areaCode, seenAt),
      similarPlateEntitled: needsDoubts && similarIsLetGo(),
      validIn: needsDoubts
        ? otherAreas(municipality, grant, plate).filter((other) => other.code !== areaCode && isLetGo(other))
        : [],
    },
    municipality,
    now,
  );
  const verdict = judgeEntitlement({ ...rights, areaCode }, seenAt);
  return { plate, seenAt, area, verdict, paymentDue: due, conclusion };
}

/** The active areas that a plate has rights in, and about which the caller may ask. */
function otherAreas({ factsOf, areas }: PatrolMunicipality, grant: Grant, plate: Plate) {
  const { sessions, subscriptions } = factsOf(plate);
  const ofTitles = subscriptions
    .flatMap((title) => (title.areas === 'all' ? [] : title.areas))
    .flatMap((code) => areas.get(code) ?? []);
  const all = new Map([...ofTitles, ...sessions.map(({ area }) => area)].map((area) => [area.code, area]));
  return [...all.values()].filter(({ code, active }) => active && mayName(grant, code));
}
