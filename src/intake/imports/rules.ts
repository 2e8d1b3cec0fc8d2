import type { Change } from '../../domain/daily-changes.ts';
import { instant } from '../../domain/instant.ts';
import { coveredUntil, periodsAfterLine } from '../../domain/paid-periods.ts';
import { onlyRevokes } from '../../domain/revocation.ts';
import { subscriptionOverAt } from '../../domain/subscription.ts';
import { END_COLUMNS, SUBSCRIPTION_FIELDS } from '../../storage/db/subscription-fields.ts';
import type { ReconcileRule } from './reconcile.ts';
import { SESSION_VALUES, type SessionRow } from './session-line.ts';
import { SUBSCRIPTION_VALUES, type SubscriptionRow } from './subscription-line.ts';

/** How much a session's change counts towards the daily limit, and whether it takes an entitlement away. */
export const changeOfSession = (before: SessionRow | null, after: SessionRow): Change => ({
  cost: 1,
  isEnding: before !== null && endsSession(before, after),
});

/**
 * The same for a subscription, which counts one, and one more for each plate added, changed or removed. Very long lists
 * count too: a version repeats them.
 *
 * @param areaBytes how many bytes the codes of areas take, by id
 */
export const changeOfSubscription = (
  before: SubscriptionRow | null,
  after: SubscriptionRow,
  areaBytes: ReadonlyMap<number, number>,
): Change => ({
  cost: 1 + changedPlates(before, after) + Math.floor(bytesOf(after, areaBytes) / BYTES_COUNTED_AS_ONE),
  isEnding: before !== null && endsSubscription(before, after),
});

/** Ten periods and ten areas with short codes take less. */
const BYTES_COUNTED_AS_ONE = 600;
/** Each is a row, and is part of the replaced version. */
const [BYTES_OF_PERIOD, BYTES_OF_AREA] = [40, 15];
const encoder = new TextEncoder();

/** The approximate size of a version without plates. The number is in an index too, an area’s code only in the version. */
function bytesOf(row: SubscriptionRow, areaBytes: ReadonlyMap<number, number>): number {
  const areas = row.areas === 'all' ? [] : row.areas;
  return areas.reduce(
    (sum, id) => sum + (areaBytes.get(id) ?? 0) + BYTES_OF_AREA,
    2 * encoder.encode(row.subscriptionNumber).length + BYTES_OF_PERIOD * row.periods.length,
  );
}

function endsSession(before: SessionRow, after: SessionRow): boolean {
  if (before.plate !== after.plate) {
    return false;
  }
  if (before.cancelledAt === null && after.cancelledAt !== null) {
    // The line may contain more than that, such as an extension that was never stored.
    return notLater(before.endsAt, earlierOf(after.endsAt, after.cancelledAt));
  }
  return (
    before.areaId === after.areaId &&
    before.startsAt <= after.startsAt &&
    endEarlier([
      [before.endsAt, after.endsAt],
      [before.cancelledAt, after.cancelledAt],
    ])
  );
}

function endsSubscription(before: SubscriptionRow, after: SubscriptionRow): boolean {
  const isRevocation = onlyRevokes(endsOf(before), endsOf(after));
  if (isRevocation !== null) {
    return isRevocation && hasNoNewPlate(before, after);
  }
  return (
    withoutEnds(before) === withoutEnds(after) &&
    endEarlier([
      ...END_COLUMNS.map((end): Ends => [before[end], after[end]]),
      ...before.plates.map(
        ({ validUntil }, index): Ends => [validUntil, after.plates[index]?.validUntil ?? null],
      ),
      ...before.periods.map(({ endsAt }, index): Ends => [endsAt, after.periods[index]?.endsAt ?? null]),
    ])
  );
}

/**
 * Whether a session does not count more towards its plate's bound than before, and no further sessions count for it: see
 * `plate-bounds.ts`.
 */
export const keepsPlaceOfSession = (before: SessionRow, after: SessionRow): boolean =>
  before.plate === after.plate && before.startsAt <= after.startsAt && notLater(before.endsAt, after.endsAt);

/** Whether a subscription counts for no further plates than before, and for no longer time. */
const keepsPlaceOfSubscription = (before: SubscriptionRow, after: SubscriptionRow): boolean =>
  hasNoNewPlate(before, after) && subscriptionOverAt(endsOf(after)) <= subscriptionOverAt(endsOf(before));

function hasNoNewPlate(before: SubscriptionRow, after: SubscriptionRow): boolean {
  const held = new Set(before.plates.map(({ plate }) => plate));
  return after.plates.every(({ plate }) => held.has(plate));
}

/** Leaves out the instant of its last change, so that two versions can be compared. */
const endsOf = (row: SubscriptionRow) => ({
  ...row,
  lastPeriodEndsAt: coveredUntil(row.periods).at(-1) ?? null,
  changedAt: instant(0),
});

/** An end before and after a change; null if there is none. */
type Ends = readonly [before: number | null, after: number | null];

const orNever = (end: number | null): number => end ?? Number.POSITIVE_INFINITY;

const notLater = (before: number | null, after: number | null): boolean => orNever(after) <= orNever(before);

const earlierOf = (one: number | null, other: number | null): number =>
  Math.min(orNever(one), orNever(other));

/** Whether an end comes earlier, and no end later. */
const endEarlier = (ends: readonly Ends[]): boolean =>
  ends.every(([before, after]) => notLater(before, after)) &&
  ends.some(([before, after]) => orNever(after) < orNever(before));

const OTHER_COLUMNS = SUBSCRIPTION_FIELDS.map(({ column }) => column).filter(
  (column) => !END_COLUMNS.some((end) => end === column),
);

/** All values of a subscription except its ends and its revision. */
const withoutEnds = (row: SubscriptionRow): string =>
  JSON.stringify([
    row.typeId,
    ...OTHER_COLUMNS.map((column) => row[column]),
    row.plates.map(({ plate, validFrom }) => [plate, validFrom]),
    row.periods.map(({ startsAt }) => startsAt),
    row.areas,
  ]);

function changedPlates(before: SubscriptionRow | null, after: SubscriptionRow): number {
  const [old, now] = [spansByPlate(before), spansByPlate(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((plate) => old.get(plate) !== now.get(plate))
    .length;
}

/** Plates are in order: equal spans have equal texts. */
function spansByPlate(row: SubscriptionRow | null): ReadonlyMap<string, string> {
  const spans = new Map<string, string>();
  for (const { plate, validFrom, validUntil } of row?.plates ?? []) {
    spans.set(plate, `${spans.get(plate) ?? ''} ${validFrom}-${validUntil}`);
  }
  return spans;
}

/**
 * Returns the row after a line. A line with a lower revision than the row's is an old one sent again, and changes nothing;
 * any other line replaces the whole row.
 *
 * A line without a revision is never older, and leaves the row its revision: a row's revision never falls, so that no older
 * line can undo the row after such a line.
 */
function newerOf<Row extends { readonly revision: number | null }>(before: Row, line: Row): Row {
  if (line.revision === null) {
    return { ...line, revision: before.revision };
  }
  return before.revision !== null && line.revision < before.revision ? before : line;
}

/** The rule for sessions: the higher revision wins, then the last line. */
export const sessionRule: ReconcileRule<SessionRow> = {
  keyOf: (row) => row.sessionId,
  same: (a, b) => SESSION_VALUES.every((name) => a[name] === b[name]),
  after: newerOf,
  changeOf: changeOfSession,
  keepsPlace: keepsPlaceOfSession,
};

/** The rule for subscriptions: the same, but paid periods stay. `areaBytes`: the number of bytes of each area's code, by id. */
export const subscriptionRule = (areaBytes: ReadonlyMap<number, number>): ReconcileRule<SubscriptionRow> => ({
  keyOf: (row) => row.subscriptionNumber,
  // Lists are in order and properties too: equal ones have equal texts.
  same: (a, b) => JSON.stringify(contentsOf(a)) === JSON.stringify(contentsOf(b)),
  after: (before, line) => {
    const row = newerOf(before, line);
    return row === before
      ? before
      : { ...row, periods: periodsAfterLine(before, line.periods), withdrawn: before.withdrawn };
  },
  changeOf: (before, after) => changeOfSubscription(before, after, areaBytes),
  keepsPlace: keepsPlaceOfSubscription,
});

const contentsOf = (row: SubscriptionRow): unknown[] => [
  ...SUBSCRIPTION_VALUES.map((name) => row[name]),
  row.plates.map(({ plate, validFrom, validUntil }) => [plate, validFrom, validUntil]),
  row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
  row.areas,
];
