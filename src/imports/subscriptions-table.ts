import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { storedPlate } from '../domain/plate.ts';
import { inOrder, type SubscriptionRow } from './subscription-line.ts';
import {
  FILL_AREAS,
  FILL_PERIODS,
  FILL_PLATES,
  READ_SUBSCRIPTIONS,
  REPLACE_SUBSCRIPTIONS,
} from './subscriptions-statements.ts';

interface StoredSubscription {
  readonly subscriptionNumber: string;
  readonly typeId: number;
  /** One of the closed union: the table's CHECK holds it. */
  readonly approval: SubscriptionRow['approval'];
  readonly authorizedFrom: number | null;
  readonly authorizedUntil: number | null;
  readonly suspendedFrom: number | null;
  readonly suspendedUntil: number | null;
  readonly revokedAt: number | null;
  readonly allAreas: number;
  readonly revision: number | null;
  readonly plates: string;
  readonly periods: string;
  readonly areas: string;
}

/** The subscriptions of these numbers that are stored, by number. */
export async function readSubscriptions(
  db: D1Database,
  municipalityId: number,
  numbers: readonly string[],
): Promise<Map<string, SubscriptionRow>> {
  const { results } = await db
    .prepare(READ_SUBSCRIPTIONS())
    .bind(municipalityId, JSON.stringify(numbers))
    .all<StoredSubscription>();
  return new Map(results.map((row) => [row.subscriptionNumber, rowOf(row)]));
}

/**
 * Stores subscriptions, new ones and changed ones, each of them whole, all or none of them. One that has a higher
 * revision by now stays as it is. May be done twice.
 *
 * @param changedAt the call's instant, kept as that of their last change
 */
export async function writeSubscriptions(
  db: D1Database,
  municipalityId: number,
  rows: readonly SubscriptionRow[],
  changedAt: Instant,
): Promise<void> {
  const values = JSON.stringify(rows.map((row) => valuesOf(row, changedAt)));
  // D1 takes a thousand statements of one request: a list that no row has costs none.
  const statements = [
    REPLACE_SUBSCRIPTIONS,
    ...(rows.some(({ plates }) => plates.length > 0) ? [FILL_PLATES] : []),
    ...(rows.some(({ periods }) => periods.length > 0) ? [FILL_PERIODS] : []),
    ...(rows.some(({ areas }) => areas !== 'all' && areas.length > 0) ? [FILL_AREAS] : []),
  ];
  await db.batch(statements.map((text) => db.prepare(text()).bind(municipalityId, values)));
}

/** In the order of the statements' columns; then the lists. */
function valuesOf(row: SubscriptionRow, changedAt: Instant): unknown[] {
  return [
    row.subscriptionNumber,
    row.typeId,
    row.approval,
    row.authorizedFrom,
    row.authorizedUntil,
    row.suspendedFrom,
    row.suspendedUntil,
    row.revokedAt,
    row.areas === 'all' ? 1 : 0,
    row.revision,
    changedAt,
    row.plates.map(({ plate, validFrom, validUntil }) => [plate, validFrom, validUntil]),
    row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
    row.areas === 'all' ? [] : row.areas,
  ];
}

function rowOf(row: StoredSubscription): SubscriptionRow {
  return inOrder({
    subscriptionNumber: row.subscriptionNumber,
    typeId: row.typeId,
    approval: row.approval,
    authorizedFrom: nullableInstant(row.authorizedFrom),
    authorizedUntil: nullableInstant(row.authorizedUntil),
    suspendedFrom: nullableInstant(row.suspendedFrom),
    suspendedUntil: nullableInstant(row.suspendedUntil),
    revokedAt: nullableInstant(row.revokedAt),
    revision: row.revision,
    plates: list<[string, number | null, number | null]>(row.plates).map(([plate, from, until]) => ({
      plate: storedPlate(plate),
      validFrom: nullableInstant(from),
      validUntil: nullableInstant(until),
    })),
    periods: list<[number, number]>(row.periods).map(([from, until]) => ({
      startsAt: instant(from),
      endsAt: instant(until),
    })),
    areas: row.allAreas === 1 ? 'all' : list<number>(row.areas),
  });
}

/** A list that the statement above has made: its items are of the shape that its select names. */
function list<Item>(json: string): Item[] {
  return JSON.parse(json);
}
