import { type Instant, instant, nullableInstant } from '../domain/instant.ts';
import { storedPlate } from '../domain/plate.ts';
import type { SubscriptionTuple } from '../history/recorded.ts';
import { codeOf } from './codes.ts';
import { countParameters } from './daily-changes-table.ts';
import { guardStatements, readWithErased, rethrowChangedMeanwhile, type StoredRows } from './erased-parts.ts';
import type { BatchStoredBy } from './stored-by.ts';
import { inOrder, type SubscriptionRow } from './subscription-line.ts';
import { APPEND_SUBSCRIPTIONS, COUNT_SUBSCRIPTIONS } from './subscriptions-journal.ts';
import { LINE_COLUMNS } from './subscriptions-parts.ts';
import {
  AREA_STATEMENTS,
  COUNT_FITTING,
  PERIOD_STATEMENTS,
  PLATE_STATEMENTS,
  READ_SUBSCRIPTIONS,
  REPLACE_SUBSCRIPTIONS,
  UPDATE_SUBSCRIPTIONS,
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
export function readSubscriptions(
  db: D1Database,
  municipalityId: number,
  numbers: readonly string[],
): Promise<StoredRows<SubscriptionRow>> {
  const statement = db.prepare(READ_SUBSCRIPTIONS()).bind(municipalityId, JSON.stringify(numbers));
  return readWithErased(statement, 'subscriptionNumber', rowOf);
}

/**
 * How many of these numbers, from the first on, have so little stored that it may be replaced at once: a short line may take
 * hundreds of plates off its subscription.
 */
export async function countFitting(
  db: D1Database,
  municipalityId: number,
  numbers: readonly string[],
  maxWeight: number,
): Promise<number> {
  const statement = db.prepare(COUNT_FITTING()).bind(municipalityId, JSON.stringify(numbers), maxWeight);
  const { results } = await statement.all<{ fitting: number | null }>();
  return results[0]?.fitting ?? numbers.length;
}

/** The municipality of an import, and the codes by which the journal names its types and areas, by id. */
interface SubscriptionPlace {
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
  const linesOf = (some: readonly SubscriptionRow[]): string =>
    JSON.stringify(some.map((row) => valuesOf(row, place, by.changedAt)));
  const lines = linesOf(rows);
  const [long = [], short = []] = [true, false].map((isLong) =>
    rows.filter((row) => itemsOf(row) > MAX_ITEMS_REPLACED === isLong),
  );
  const storing = [short, long].flatMap((some) => {
    const list = some.length === rows.length ? lines : linesOf(some);
    return statementsFor(some, some === long).map((text) =>
      db.prepare(text()).bind(place.municipalityId, list),
    );
  });
  const append = [place.municipalityId, lines, by.clock(), by.requestId, by.erasedUpTo];
  await rethrowChangedMeanwhile(
    db.batch([
      db.prepare(COUNT_SUBSCRIPTIONS()).bind(place.municipalityId, lines, ...countParameters(by.count)),
      db.prepare(APPEND_SUBSCRIPTIONS()).bind(...append),
      ...storing,
      ...guardStatements(
        db,
        { municipalityId: place.municipalityId, kind: 'subscription', sourceCode: '' },
        by.guards,
        by.clock(),
      ),
    ]),
  );
}

/** With more plates, periods and areas than this, only differences are written. With fewer, rewriting the rows costs less than more statements. */
const MAX_ITEMS_REPLACED = 8;

const areasOf = ({ areas }: SubscriptionRow): readonly number[] => (areas === 'all' ? [] : areas);

const itemsOf = (row: SubscriptionRow): number =>
  row.plates.length + row.periods.length + areasOf(row).length;

/** D1 allows a request a thousand statements: a list that no row has is not filled. */
function statementsFor(rows: readonly SubscriptionRow[], areLong: boolean): readonly (() => string)[] {
  if (rows.length === 0) {
    return [];
  }
  const lists = [
    { list: PLATE_STATEMENTS, isFilled: rows.some(({ plates }) => plates.length > 0) },
    { list: PERIOD_STATEMENTS, isFilled: rows.some(({ periods }) => periods.length > 0) },
    { list: AREA_STATEMENTS, isFilled: rows.some((row) => areasOf(row).length > 0) },
  ];
  const filled = lists.filter(({ isFilled }) => isFilled).map(({ list }) => list);
  return areLong
    ? [UPDATE_SUBSCRIPTIONS, ...lists.map(({ list }) => list.prune), ...filled.map(({ extend }) => extend)]
    : [REPLACE_SUBSCRIPTIONS, ...filled.map(({ fill }) => fill)];
}

/** What the statements take of a line: {@link LINE_COLUMNS}, then the lists, and what the journal takes. */
function valuesOf(row: SubscriptionRow, { names }: SubscriptionPlace, changedAt: Instant): unknown[] {
  const values = {
    ...row,
    allAreas: row.areas === 'all' ? 1 : 0,
    changedAt,
    // They do not overlap, and are in order.
    lastPeriodEndsAt: row.periods.at(-1)?.endsAt ?? null,
  };
  return [
    ...LINE_COLUMNS.map((name) => values[name]),
    row.plates.map(({ plate, validFrom, validUntil }) => [plate, validFrom, validUntil]),
    row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
    areasOf(row),
    recordOf(row, names),
    entriesByPlate(row),
  ];
}

/** What the journal's rows of a subscription share. The statement adds the plate's own entries, and the revision. */
const recordOf = (row: SubscriptionRow, names: SubscriptionPlace['names']): SubscriptionTuple => [
  codeOf(names.types, row.typeId),
  row.approval,
  row.areas === 'all' ? row.areas : row.areas.map((id) => codeOf(names.areas, id)).sort(),
  [],
  row.periods.map(({ startsAt, endsAt }) => [startsAt, endsAt]),
  row.authorizedFrom,
  row.authorizedUntil,
  row.suspendedFrom,
  row.suspendedUntil,
  row.revokedAt,
  row.revision,
];

const entriesByPlate = ({ plates }: SubscriptionRow) =>
  [...Map.groupBy(plates, ({ plate }) => plate)].map(([plate, entries]) => [
    plate,
    entries.map(({ validFrom, validUntil }) => [validFrom, validUntil]),
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
