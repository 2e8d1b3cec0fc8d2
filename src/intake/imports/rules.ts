import { changeOfSession, changeOfSubscription } from './endings.ts';
import type { ReconcileRule } from './reconcile.ts';
import { SESSION_VALUES, type SessionRow } from './session-line.ts';
import { SUBSCRIPTION_VALUES, type SubscriptionRow } from './subscription-line.ts';

/**
 * The row as it is after a line: a line with a lower revision than the row's is an old one sent again, and changes
 * nothing; any other replaces the row as a whole.
 *
 * A line without a revision is never older, and leaves the row the revision it has: a row's revision never falls, so
 * that nothing older than what it has seen can come back behind such a line.
 */
function newerOf<Row extends { readonly revision: number | null }>(before: Row, line: Row): Row {
  if (line.revision === null) {
    return { ...line, revision: before.revision };
  }
  return before.revision !== null && line.revision < before.revision ? before : line;
}

/** Sessions: by their revision, then the last line wins. */
export const sessionRule: ReconcileRule<SessionRow> = {
  keyOf: (row) => row.sessionId,
  same: (a, b) => SESSION_VALUES.every((name) => a[name] === b[name]),
  after: newerOf,
  changeOf: changeOfSession,
};

/** Subscriptions: likewise. `areaBytes`: how many bytes the codes of areas take, by id. */
export const subscriptionRule = (areaBytes: ReadonlyMap<number, number>): ReconcileRule<SubscriptionRow> => ({
  keyOf: (row) => row.subscriptionNumber,
  // Lists are in order and properties too: equal ones have equal texts.
  same: (a, b) => JSON.stringify(contentsOf(a)) === JSON.stringify(contentsOf(b)),
  after: newerOf,
  changeOf: (before, after) => changeOfSubscription(before, after, areaBytes),
});

const contentsOf = (row: SubscriptionRow): unknown[] => [
  ...SUBSCRIPTION_VALUES.map((name) => row[name]),
  row.plates.map(({ plate, validFrom, validUntil }) => [plate, validFrom, validUntil]),
  row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
  row.areas,
];
