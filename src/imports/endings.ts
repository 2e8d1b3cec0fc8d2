import type { Change, Ending } from '../domain/daily-changes.ts';
import type { SessionRow } from './session-line.ts';
import type { SubscriptionRow } from './subscription-line.ts';

/** What a session's change counts, and whether it takes a right away. */
export function changeOfSession(before: SessionRow | null, after: SessionRow): Change {
  return { cost: 1, ending: before === null ? 'none' : endingOfSession(before, after) };
}

/** How many bytes the codes of types and areas take, by id. */
export interface CodeBytes {
  readonly types: ReadonlyMap<number, number>;
  readonly areas: ReadonlyMap<number, number>;
}

/** What a subscription's change counts, and whether it takes a right away. */
export function changeOfSubscription(
  before: SubscriptionRow | null,
  after: SubscriptionRow,
  codes: CodeBytes,
): Change {
  return {
    cost: costOf(after, codes),
    ending: before === null ? 'none' : endingOfSubscription(before, after, codes),
  };
}

/** Rows are stored of periods and areas too: of this many as much as of a few plates. */
const ITEMS_COUNTED_AS_ONE = 25;
/**
 * What is answered of each plate's history, where its text is longer than this: ten periods and ten areas with short codes are not.
 * Plates that change together share most of it in the journal, those that change one by one do not.
 */
const BYTES_COUNTED_AS_ONE = 400;
/** Two instants. */
const BYTES_OF_PERIOD = 30;
/** The key is in the journal's row and in two of its indexes. */
const TIMES_OF_KEY = 3;
const encoder = new TextEncoder();

/** One without plates is stored as well. Few have so many periods and areas, or such long codes, that they count. */
function costOf(row: SubscriptionRow, codes: CodeBytes): number {
  const areas = row.areas === 'all' ? [] : row.areas;
  const plates = row.plates.length;
  const repeated = areas.reduce(
    (sum, id) => sum + (codes.areas.get(id) ?? 0) + 3,
    TIMES_OF_KEY * encoder.encode(row.subscriptionNumber).length +
      (codes.types.get(row.typeId) ?? 0) +
      BYTES_OF_PERIOD * row.periods.length,
  );
  const asItems = Math.ceil((row.periods.length + areas.length) / ITEMS_COUNTED_AS_ONE);
  return Math.max(1, plates, asItems, Math.ceil((plates * repeated) / BYTES_COUNTED_AS_ONE));
}

function endingOfSession(before: SessionRow, after: SessionRow): Ending {
  if (isSet(before.cancelledAt, after.cancelledAt) && before.plate === after.plate) {
    return 'ends';
  }
  const ends: Ends = [
    [before.endsAt, after.endsAt],
    [before.cancelledAt, after.cancelledAt],
  ];
  const givesNothing =
    before.plate === after.plate &&
    before.areaId === after.areaId &&
    before.startsAt <= after.startsAt &&
    hasNoLaterEnd(ends);
  if (givesNothing && isSet(before.endsAt, after.endsAt)) {
    return 'ends';
  }
  return givesNothing && hasEarlierEnd(ends) ? 'shortens' : 'none';
}

function endingOfSubscription(before: SubscriptionRow, after: SubscriptionRow, codes: CodeBytes): Ending {
  if (
    isSet(before.revokedAt, after.revokedAt) &&
    isNoLonger(before, after) &&
    costOf(after, codes) <= costOf(before, codes)
  ) {
    return 'ends';
  }
  const ends: Ends = [
    [before.authorizedUntil, after.authorizedUntil],
    [before.revokedAt, after.revokedAt],
    ...before.plates.map(({ validUntil }, index): Ends[number] => [
      validUntil,
      after.plates[index]?.validUntil ?? null,
    ]),
    ...before.periods.map(({ endsAt }, index): Ends[number] => [
      endsAt,
      after.periods[index]?.endsAt ?? null,
    ]),
  ];
  const givesNothing = withoutEnds(before) === withoutEnds(after) && hasNoLaterEnd(ends);
  if (givesNothing && isSet(before.authorizedUntil, after.authorizedUntil)) {
    return 'ends';
  }
  return givesNothing && hasEarlierEnd(ends) ? 'shortens' : 'none';
}

/** Before and after; null: without an end. */
type Ends = readonly (readonly [before: number | null, after: number | null])[];

const isSet = (before: number | null, after: number | null): boolean => before === null && after !== null;
const orNever = (end: number | null): number => end ?? Number.POSITIVE_INFINITY;
const hasNoLaterEnd = (ends: Ends): boolean =>
  ends.every(([before, after]) => orNever(after) <= orNever(before));
const hasEarlierEnd = (ends: Ends): boolean =>
  ends.some(([before, after]) => orNever(after) < orNever(before));

/** A revocation that names no other plate, and brings no further plates, periods or areas, nor longer codes, is stored in the room that the subscription has. */
const isNoLonger = (before: SubscriptionRow, after: SubscriptionRow): boolean =>
  after.plates.length <= before.plates.length &&
  after.plates.every(({ plate }) => before.plates.some((held) => held.plate === plate)) &&
  after.periods.length <= before.periods.length &&
  after.areas.length <= before.areas.length;

/** All that a subscription says but its ends and its revision. */
const withoutEnds = (row: SubscriptionRow): string =>
  JSON.stringify([
    row.typeId,
    row.approval,
    row.authorizedFrom,
    row.suspendedFrom,
    row.suspendedUntil,
    row.plates.map(({ plate, validFrom }) => [plate, validFrom]),
    row.periods.map(({ startsAt }) => startsAt),
    row.areas,
  ]);
