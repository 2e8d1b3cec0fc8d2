import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { storedPlate } from '../domain/plate.ts';
import { codeOf } from './codes.ts';
import { countParameters } from './daily-changes-table.ts';
import {
  type Erased,
  type ErasedColumns,
  guarding,
  orChangedMeanwhile,
  splitErased,
} from './erased-parts.ts';
import type { BatchStoredBy } from './stored-by.ts';
import { inOrder, type SubscriptionRow } from './subscription-line.ts';
import { APPEND_SUBSCRIPTIONS, COUNT_SUBSCRIPTIONS } from './subscriptions-journal.ts';
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

/** The subscriptions of these numbers that are stored, by number, and which plates were erased from them. */
export async function readSubscriptions(
  db: D1Database,
  municipalityId: number,
  numbers: readonly string[],
): Promise<{ readonly stored: Map<string, SubscriptionRow>; readonly erased: Erased }> {
  const { results } = await db
    .prepare(READ_SUBSCRIPTIONS())
    .bind(municipalityId, JSON.stringify(numbers))
    .all<StoredSubscription & ErasedColumns>();
  const { stored, erased } = splitErased(results, ({ subscriptionNumber }) => subscriptionNumber);
  return { stored: new Map(stored.map((row) => [row.subscriptionNumber, rowOf(row)])), erased };
}

/** The municipality of an import, and the codes by which the journal names its types and areas, by id. */
export interface SubscriptionPlace {
  readonly municipalityId: number;
  readonly names: {
    readonly types: ReadonlyMap<number, string>;
    readonly areas: ReadonlyMap<number, string>;
  };
}

/**
 * Stores subscriptions, new ones and changed ones, each of them whole, and what the journal says of them: all or nothing.
 * One that has a higher revision by now stays as it is. May be done twice: what is stored already is not journaled again.
 *
 * @param by `changedAt`: the call's instant, kept as that of their last change
 * @throws ChangedMeanwhile
 */
export async function writeSubscriptions(
  db: D1Database,
  place: SubscriptionPlace,
  rows: readonly SubscriptionRow[],
  by: BatchStoredBy & { readonly changedAt: Instant },
): Promise<void> {
  const values = JSON.stringify(rows.map((row) => valuesOf(row, place, by.changedAt)));
  // D1 takes a thousand statements of one request: a list that no row has costs none.
  const statements = [
    REPLACE_SUBSCRIPTIONS,
    ...(rows.some(({ plates }) => plates.length > 0) ? [FILL_PLATES] : []),
    ...(rows.some(({ periods }) => periods.length > 0) ? [FILL_PERIODS] : []),
    ...(rows.some(({ areas }) => areas !== 'all' && areas.length > 0) ? [FILL_AREAS] : []),
  ];
  const append = [place.municipalityId, values, by.clock(), by.requestId, by.erasedUpTo];
  await orChangedMeanwhile(
    db.batch([
      db.prepare(COUNT_SUBSCRIPTIONS()).bind(place.municipalityId, values, ...countParameters(by.count)),
      db.prepare(APPEND_SUBSCRIPTIONS()).bind(...append),
      ...statements.map((text) => db.prepare(text()).bind(place.municipalityId, values)),
      ...guarding(
        db,
        { municipalityId: place.municipalityId, kind: 'subscription', sourceCode: '' },
        by.guards,
      ),
    ]),
  );
}

/** In the order of the statements' columns; then the lists, and what the journal takes. */
function valuesOf(row: SubscriptionRow, { names }: SubscriptionPlace, changedAt: Instant): unknown[] {
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
    // They do not overlap, and are in order.
    row.periods.at(-1)?.endsAt ?? null,
    row.plates.map(({ plate, validFrom, validUntil }) => [plate, validFrom, validUntil]),
    row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
    row.areas === 'all' ? [] : row.areas,
    recordOf(row, names),
    entriesByPlate(row),
  ];
}

/** What the journal's rows of a subscription share. The statement adds the plate's own entries, and the revision. */
const recordOf = (row: SubscriptionRow, names: SubscriptionPlace['names']) => ({
  subscription_number: row.subscriptionNumber,
  type: codeOf(names.types, row.typeId),
  plates: [],
  approval: row.approval,
  authorized_from: row.authorizedFrom,
  authorized_until: row.authorizedUntil,
  areas: row.areas === 'all' ? row.areas : row.areas.map((id) => codeOf(names.areas, id)).sort(),
  suspended_from: row.suspendedFrom,
  suspended_until: row.suspendedUntil,
  revoked_at: row.revokedAt,
  revision: row.revision,
  periods: row.periods.map(({ startsAt, endsAt }) => ({ starts_at: startsAt, ends_at: endsAt })),
});

const entriesByPlate = ({ plates }: SubscriptionRow) =>
  [...Map.groupBy(plates, ({ plate }) => plate)].map(([plate, entries]) => [
    plate,
    entries.map(({ validFrom, validUntil }) => ({ valid_from: validFrom, valid_until: validUntil })),
  ]);

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
