import { instant, nullableInstant } from '../../domain/instant.ts';
import { coveredUntil, type StoredPeriod } from '../../domain/paid-periods.ts';
import { storedPlate } from '../../domain/plate.ts';
import { json, parsed } from '../../storage/db/sql.ts';
import { first } from '../../storage/db/statement.ts';
import { CHOICE_FIELDS, INSTANT_FIELDS, mapFields } from '../../storage/db/subscription-fields.ts';
import type { SubscriptionRecord } from '../../storage/history/subscription-changes.ts';
import { readWithErased, type StoredRows } from './erased-parts.ts';
import { type BatchStoredBy, storeBatch } from './stored-by-table.ts';
import { inOrder, type PlateValidity, type SubscriptionRow } from './subscription-line.ts';
import {
  COUNT_FITTING,
  DELETE_AREAS,
  DELETE_PERIODS,
  DELETE_PLATES,
  INSERT_AREAS,
  INSERT_PERIODS,
  INSERT_PLATES,
  INSERT_SUBSCRIPTIONS,
  KEEP_PLATES,
  KEEP_SHARED,
  OWN_VALUES,
  type PeriodTuple,
  READ_SUBSCRIPTIONS,
  REQUIRE_VERSIONS,
  type ReadSubscription,
  TOUCH_SUBSCRIPTIONS,
  UPDATE_SUBSCRIPTIONS,
} from './subscriptions-statements.ts';

/** Turns ids by code into codes by id. */
export const codesById = (ids: ReadonlyMap<string, number>): Map<number, string> =>
  new Map([...ids].map(([code, id]) => [id, code]));

const encoder = new TextEncoder();

/** The number of bytes of each code, by id. */
export const bytesById = (ids: ReadonlyMap<string, number>): Map<number, number> =>
  new Map([...ids].map(([code, id]) => [id, encoder.encode(code).length]));

/**
 * The code that a line used for this id.
 *
 * @throws Error for an id without a code
 */
function codeOf(codes: ReadonlyMap<number, string>, id: number): string {
  const code = codes.get(id);
  if (code === undefined) {
    throw new Error(`no code has the id ${id}`);
  }
  return code;
}

/** A subscription as it was read, with what identifies that version. */
interface StoredSubscription extends SubscriptionRow {
  readonly id: number;
  readonly changedAt: number | null;
  /** The ids of its plates' spans, by {@link spanKey}. */
  readonly spanIds: ReadonlyMap<string, number>;
}

const spanKey = ({ plate, validFrom, validUntil }: PlateValidity): string =>
  `${plate} ${validFrom} ${validUntil}`;

/** Reads the stored subscriptions with these numbers, by number, and the plates erased from them. */
export function readSubscriptions(
  db: D1Database,
  municipalityId: number,
  numbers: readonly string[],
): Promise<StoredRows<StoredSubscription>> {
  const prepared = READ_SUBSCRIPTIONS.prepare(db, { municipalityId, numbers: json(numbers) });
  return readWithErased(prepared, (row) => [[row.subscriptionNumber, rowOf(row)]]);
}

/**
 * Counts the numbers, from the first one, whose stored rows are few enough to be replaced at once: a short line may remove
 * hundreds of plates from its subscription.
 */
export async function countFitting(
  db: D1Database,
  municipalityId: number,
  numbers: readonly string[],
  maxWeight: number,
): Promise<number> {
  const row = await first(COUNT_FITTING.prepare(db, { municipalityId, numbers: json(numbers), maxWeight }));
  return row?.fitting ?? numbers.length;
}

/** The municipality of an import, and the codes of its types and areas, by id. */
interface SubscriptionPlace {
  readonly municipalityId: number;
  readonly names: {
    readonly types: ReadonlyMap<number, string>;
    readonly areas: ReadonlyMap<number, string>;
  };
}

/**
 * Stores new and changed subscriptions, and keeps the versions that they replace: all or nothing. Writes only the
 * differences of a changed one. Idempotent.
 *
 * @param stored the stored rows by which the lines were judged
 * @throws ChangedMeanwhile
 */
export async function writeSubscriptions(
  db: D1Database,
  place: SubscriptionPlace,
  rows: readonly SubscriptionRow[],
  stored: ReadonlyMap<string, StoredSubscription>,
  by: BatchStoredBy,
): Promise<void> {
  const { municipalityId } = place;
  const changes = rows.map((after) => changeOf(stored.get(after.subscriptionNumber) ?? null, after));
  const existing = changes.flatMap(({ before, ...change }) =>
    before === null ? [] : [{ ...change, before }],
  );
  const created = changes.filter(({ before }) => before === null);
  const shared = existing.filter(({ sharedDiffers }) => sharedDiffers);
  const differing = (differs: 'periodsDiffer' | 'areasDiffer') => ({
    old: existing.filter((change) => change[differs]).map(({ before }) => before.id),
    new: changes.filter((change) => change[differs]).map(({ after }) => after),
  });
  const [periods, areas] = [differing('periodsDiffer'), differing('areasDiffer')];
  const goneSpans = existing.flatMap(({ goneSpanIds }) => goneSpanIds);
  const write = (statement: typeof INSERT_SUBSCRIPTIONS, lines: readonly (readonly unknown[])[]) =>
    lines.length === 0 ? [] : [statement.prepare(db, { municipalityId, lines: json(lines) })];
  const writeIds = (statement: typeof DELETE_PLATES, ids: readonly number[]) =>
    ids.length === 0 ? [] : [statement.prepare(db, { municipalityId, ids: json(ids) })];
  const now = by.clock();
  await storeBatch(db, { municipalityId, kind: 'subscription', sourceCode: '' }, by, now, [
    ...write(
      REQUIRE_VERSIONS,
      existing.map(({ before }) => [before.subscriptionNumber, before.changedAt]),
    ),
    ...write(
      KEEP_SHARED,
      shared.map(({ before }) => [before.subscriptionNumber, JSON.stringify(recordOf(before, place.names))]),
    ),
    ...writeIds(KEEP_PLATES, goneSpans),
    ...writeIds(DELETE_PLATES, goneSpans),
    ...write(
      INSERT_SUBSCRIPTIONS,
      created.map(({ after }) => ownValues(after)),
    ),
    ...write(
      UPDATE_SUBSCRIPTIONS,
      shared.map(({ before, after }) => [before.id, ...ownValues(after)]),
    ),
    ...writeIds(
      TOUCH_SUBSCRIPTIONS,
      existing.filter(({ sharedDiffers }) => !sharedDiffers).map(({ before }) => before.id),
    ),
    ...write(
      INSERT_PLATES,
      changes.flatMap(({ after, newSpans }) =>
        newSpans.map(({ plate, validFrom, validUntil }) => [
          after.subscriptionNumber,
          plate,
          validFrom,
          validUntil,
        ]),
      ),
    ),
    ...writeIds(DELETE_PERIODS, periods.old),
    ...write(
      INSERT_PERIODS,
      periods.new.flatMap((row) => inRows(row.periods).map((values) => [row.subscriptionNumber, ...values])),
    ),
    ...writeIds(DELETE_AREAS, areas.old),
    ...write(
      INSERT_AREAS,
      areas.new.flatMap((row) => areasOf(row).map((id) => [row.subscriptionNumber, id])),
    ),
  ]);
}

/** In the order of the statement that writes them. */
function inRows(periods: SubscriptionRow['periods']): unknown[][] {
  const covered = coveredUntil(periods);
  return periods.map(({ startsAt, endsAt, paidBy }, index) => [startsAt, endsAt, covered[index], paidBy]);
}

const areasOf = ({ areas }: SubscriptionRow): readonly number[] => (areas === 'all' ? [] : areas);

/** A line's changes of its subscription. */
function changeOf(before: StoredSubscription | null, after: SubscriptionRow) {
  const old = before?.spanIds ?? new Map<string, number>();
  const kept = new Set(after.plates.map(spanKey));
  return {
    before,
    after,
    newSpans: after.plates.filter((span) => !old.has(spanKey(span))),
    goneSpanIds: [...old].flatMap(([key, id]) => (kept.has(key) ? [] : [id])),
    periodsDiffer: before === null || textOf(before.periods) !== textOf(after.periods),
    areasDiffer: before === null || textOf(areasOf(before)) !== textOf(areasOf(after)),
    sharedDiffers: before === null || sharedText(before) !== sharedText(after),
  };
}

/** Lists are in order and properties too: equal ones have equal texts. */
const textOf = (value: unknown): string => JSON.stringify(value);
const sharedText = (row: SubscriptionRow): string => textOf([ownValues(row), row.periods, row.areas]);

/** In the order of {@link OWN_VALUES}. */
function ownValues(row: SubscriptionRow): unknown[] {
  const values = {
    ...row,
    allAreas: row.areas === 'all' ? 1 : 0,
    lastPeriodEndsAt: coveredUntil(row.periods).at(-1) ?? null,
  };
  return OWN_VALUES.map((name) => values[name]);
}

const orLeftOut = (at: number | null): number | undefined => at ?? undefined;

function recordOf(row: SubscriptionRow, names: SubscriptionPlace['names']): SubscriptionRecord {
  return {
    type: codeOf(names.types, row.typeId),
    ...mapFields(CHOICE_FIELDS, 'name', ({ column }) => row[column]),
    areas: row.areas === 'all' ? row.areas : row.areas.map((id) => codeOf(names.areas, id)).sort(),
    periods: row.periods.map(({ startsAt, endsAt, paidBy }) => [startsAt, endsAt, paidBy]),
    ...mapFields(INSTANT_FIELDS, 'name', ({ column }) => orLeftOut(row[column])),
    revision: orLeftOut(row.revision),
  };
}

function rowOf(row: ReadSubscription): StoredSubscription {
  const spans = parsed(row.plates).map(([plate, from, until, id]) => ({
    id,
    span: {
      plate: storedPlate(plate),
      validFrom: nullableInstant(from),
      validUntil: nullableInstant(until),
    },
  }));
  const subscription = inOrder({
    subscriptionNumber: row.subscriptionNumber,
    typeId: row.typeId,
    ...mapFields(CHOICE_FIELDS, 'column', ({ column }) => row[column]),
    ...mapFields(INSTANT_FIELDS, 'column', ({ column }) => nullableInstant(row[column])),
    revision: row.revision,
    plates: spans.map(({ span }) => span),
    periods: parsed(row.periods).map(periodOf),
    withdrawn: parsed(row.withdrawn).map(periodOf),
    areas: row.allAreas === 1 ? 'all' : parsed(row.areas),
  });
  return {
    ...subscription,
    id: row.id,
    changedAt: row.changedAt,
    spanIds: new Map(spans.map(({ id, span }) => [spanKey(span), id])),
  };
}

const periodOf = ([from, until, paidBy]: PeriodTuple): StoredPeriod => ({
  startsAt: instant(from),
  endsAt: instant(until),
  paidBy,
});
