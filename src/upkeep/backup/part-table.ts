import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { changes, erasedPlates, municipalities, payments, sources } from '../../storage/db/schema/index.ts';
import type { Position } from '../../storage/db/schema/restores.ts';
import {
  bare,
  type Json,
  json,
  jsonArray,
  list,
  literal,
  parsed,
  tableByIndex,
  uuidOf,
} from '../../storage/db/sql.ts';
import {
  all,
  batch,
  first,
  type Parameters,
  select,
  statement,
  type ValuesOf,
  value,
} from '../../storage/db/statement.ts';
import type { StoredTable } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { type Arrived, asTheyAre, type Named } from '../../storage/db/travelling.ts';

/** The most bytes that one statement reads, without the last row: a parameter may have 2 MB, and gates use the same database. */
const MAX_BYTES = 400_000;

/** Rows of one kind, each a JSON list. */
export interface Rows {
  readonly kind: string;
  readonly items: readonly string[];
}

const CITY = { municipality: value<number>() };

const columnOf =
  (table: SQLiteTable): Named =>
  (name) =>
    sql`${table}.${sql.identifier(name)}`;
const has = (table: SQLiteTable, name: string): boolean =>
  getTableConfig(table).columns.some((column) => column.name === name);

/**
 * A row as it travels: a JSON list.
 *
 * @param past the table of a version replaced since. Columns that it lacks never change, and are read from the present row
 */
function itemOf({ table, travels, computed }: StoredTable, past: StoredTable | null = null): SQL {
  const present = columnOf(table);
  const of: Named = (name) => {
    if (past === null) {
      return computed?.[name] ?? present(name);
    }
    return has(past.table, name)
      ? columnOf(past.table)(name)
      : sql`(select ${sql.identifier(name)} from ${table} where ${present('id')} = ${past.pastOf?.id})`;
  };
  return jsonArray(Object.values(travels.reads).map((read) => read(of)));
}

/** The rows of a municipality, or of its sources, in a table. */
export function ofCity({ table, owner, reading: { index } }: StoredTable, municipality: SQL) {
  const rows = index === undefined ? sql`${table}` : tableByIndex(table, index);
  return owner.name === 'source_id'
    ? {
        from: sql`${sources} cross join ${rows} on ${owner} = ${sources.id}`,
        where: sql`${sources.municipalityId} = ${municipality}`,
      }
    : { from: rows, where: sql`${owner} = ${municipality}` };
}

/** The columns of a municipality's own row that a backup has: all but its identity and its restore. */
const OWN: StoredTable = {
  ...{ kind: 'municipality', table: municipalities, owner: municipalities.id, key: [municipalities.id] },
  reading: { by: 'owner' },
  travels: asTheyAre(
    municipalities,
    [
      ...[municipalities.id, municipalities.tenantId, municipalities.code, municipalities.tenantActive],
      ...[municipalities.restoring, municipalities.restoredAt],
    ].map(({ name }) => name),
  ),
};

/** The tables of a backup. */
const TABLES = [OWN, ...STORED_TABLES].filter(({ isLeftOutOfBackups }) => !isLeftOutOfBackups);

/** Tables of few rows, which are read whole. */
const WHOLE = TABLES.filter(({ reading }) => reading.by === 'owner').map((table) => ({
  kind: table.kind,
  read: statement(CITY, ({ municipality }) => {
    const { from, where } = ofCity(table, municipality);
    return sql<{ item: string }>`select ${itemOf(table)} as item from ${from} where ${where}`;
  }),
}));

/** Later than every change: reads all rows. */
export const ALL = Number.MAX_SAFE_INTEGER;

type Ordered = Extract<StoredTable['reading'], { by: 'order' }>;

/** At most this many rows as of a change, after the row with these numbers. */
const NEXT = {
  ...CITY,
  ...{ rows: value<number>(), asOf: value<number>() },
  after: value<Json<readonly number[]>>(),
};
type Next = ValuesOf<typeof NEXT>;

const MAX_ROWS = 1_000;
const MAX_LARGE_ROWS = 50;

/**
 * The rows of a table in their order, some at a time.
 *
 * @param past the table of versions replaced since that change, which are read as if they were the present
 */
function streamOf(table: StoredTable, past: StoredTable | null, { order, at }: Ordered) {
  const source = past ?? table;
  const numbers = order.map((_, index) => sql.raw(`n${index}`));
  const recordedAt = columnOf(source.table)('recorded_at');
  const next = (what: SQL, { municipality, rows, asOf, after }: Parameters<Next>): SQL => {
    const { from, where } = ofCity(source, municipality);
    const isInBackup =
      past !== null ? sql`and ${recordedAt} <= ${asOf}` : at === null ? sql`` : sql`and ${at} <= ${asOf}`;
    return sql`select ${what} from ${from}
  where ${where} and (${list(order)}) > (${list(order.map((_, index) => sql`${after} ->> ${literal(index)}`))}) ${isInBackup}
  order by ${list(order)} limit ${rows}`;
  };
  const row = [
    ...order.map((number, index) => sql`${number} as ${numbers[index]}`),
    sql`${itemOf(table, past)} as item`,
  ];
  return {
    name: past === null ? table.kind : `${table.kind} then`,
    table,
    width: order.length,
    /** Whether rows are versions replaced since. */
    isReplacedSince: past !== null,
    /** The most rows read at once. */
    most: table.hasLargeRows ? MAX_LARGE_ROWS : MAX_ROWS,
    /** `place` is the numbers of a row; `found` counts all rows, also those that had no room. */
    read: statement(
      NEXT,
      (values) => sql<{ place: Json<number[]>; item: string; found: number }>`
select ${jsonArray(numbers)} as place, item, found from (
  select *, count(*) over () as found,
    coalesce(sum(octet_length(item)) over (order by ${list(numbers)} rows between unbounded preceding and 1 preceding), 0) as before
  from (${next(list(row), values)})
) where before < ${literal(MAX_BYTES)} order by ${list(numbers)}`,
    ),
  };
}
type Stream = ReturnType<typeof streamOf>;

/** Each table, followed by its versions that were replaced since, as if they were the present. */
const STREAMS: readonly Stream[] = TABLES.flatMap((table) =>
  [null, ...TABLES.filter(({ pastOf }) => pastOf?.table === table.table)].flatMap((past) => {
    const { reading } = past ?? table;
    return reading.by === 'order' ? [streamOf(table, past, reading)] : [];
  }),
);

const WITH_PLATES = STREAMS.filter(({ table, isReplacedSince }) => table.plate && !isReplacedSince);

const startOf = (stream: Stream | undefined): Position => ({ table: stream?.name ?? '', after: null });
export const FIRST = startOf(STREAMS[0]);
export const FIRST_WITH_PLATES = startOf(WITH_PLATES[0]);

/** Columns that other tables refer to. They never change, and setting them would make SQLite search all those tables. */
const REFERRED = ['id', 'municipality_id', 'code'];

const ARRIVED = { ...CITY, items: value<string>() };

/** Makes a statement that writes a JSON list of arrived rows. */
const writing = ({ travels }: StoredTable, make: (arrived: Arrived) => SQL) =>
  statement(ARRIVED, ({ municipality, items }) =>
    make({
      municipality,
      items: sql`json_each(${items}) as item`,
      value: (name) => {
        const index = Object.keys(travels.reads).indexOf(name);
        if (index < 0) {
          throw new Error(`nothing travels under the name ${name}`);
        }
        return sql.raw(`(item.value ->> ${index})`);
      },
    }),
  );

/** The statements that write rows of a table. A row replaces one with the same key. */
function writesOf(stored: StoredTable) {
  const { table, key, travels, hasNoUniqueKey, also = [] } = stored;
  const fixed = new Set([...REFERRED, ...key.map(({ name }) => name)]);
  const write = (arrived: Arrived): SQL => {
    const written = travels.writes.map(([target, from]) => ({ target, from: from(arrived) }));
    const changed = written.filter(({ target }) => !fixed.has(target.name));
    const isKey = written.filter(({ target }) => key.some(({ name }) => name === target.name));
    if (stored === OWN) {
      return sql`update ${table} set ${list(changed.map(({ target, from }) => sql`${bare(target)} = ${from}`))}
from ${arrived.items} where ${municipalities.id} = ${arrived.municipality}`;
    }
    const into = sql`insert into ${table} (${list(written.map(({ target }) => bare(target)))})
select ${list(written.map(({ from }) => from))}`;
    const replace =
      changed.length === 0
        ? sql`nothing`
        : sql`update set ${list(changed.map(({ target }) => sql`${bare(target)} = excluded.${bare(target)}`))}`;
    return hasNoUniqueKey
      ? sql`${into} from (select distinct value from ${arrived.items}) as item
where not exists (select 1 from ${table} where ${sql.join(
          isKey.map(({ target, from }) => sql`${target} is ${from}`),
          sql` and `,
        )})`
      : sql`${into} from ${arrived.items} where true
on conflict (${list(key.map(bare))}) do ${replace}`;
  };
  return [write, ...also].map((make) => writing(stored, make));
}

/** The tables of a backup, by kind: the names of the values, and the statements that write them. */
export const KINDS = new Map(
  TABLES.map((table) => [table.kind, { ...table.travels, plate: table.plate, writes: writesOf(table) }]),
);

/** The plates in rows of one kind. */
export function platesIn({ kind, items }: Rows): string[] {
  const { reads = {}, plate } = KINDS.get(kind) ?? {};
  const at = Object.keys(reads).indexOf(plate?.column.name ?? '');
  return at < 0 ? [] : [...new Set(items.map((item) => (JSON.parse(item) as string[])[at] ?? ''))];
}

/** The municipality's newest change, and the call that made it. A database that was put back lacks this pair. */
const NEWEST_CHANGE = statement(CITY, ({ municipality }) =>
  select(
    { at: changes.recordedAt, mark: uuidOf(changes.requestId) },
    sql`from ${changes}
where ${changes.municipalityId} = ${municipality} and ${changes.recordedAt} = ${lastRecordedAt(municipality)}`,
  ),
);

/**
 * Reads the beginning of a backup, as of one instant.
 *
 * @returns the municipality's newest change, the mark that tells it from another at this instant, and the rows of the tables
 *   that are read whole
 */
export async function readBeginning(db: D1Database, municipality: number) {
  const [newest, ...read] = await batch(db, [
    NEWEST_CHANGE.prepare(db, { municipality }),
    ...WHOLE.map((each) => each.read.prepare(db, { municipality })),
  ]);
  const { at: asOf, mark } = newest.results[0] ?? { at: 0, mark: '' };
  return { asOf, mark, rows: WHOLE.map(({ kind }, index) => rowsOf(kind, read[index]?.results)) };
}

const rowsOf = (kind: string, read: readonly { readonly item: string }[] = []): Rows => ({
  kind,
  items: read.map(({ item }) => item),
});

/** The stream of a position, and the next one. */
function streamsFrom(streams: readonly Stream[], { table }: Position): [Stream, Stream | undefined] {
  const index = streams.findIndex(({ name }) => name === table);
  const stream = streams[index];
  if (stream === undefined) {
    throw new Error(`there is no table ${table}`);
  }
  return [stream, streams[index + 1]];
}

/** The numbers after which reading a table begins. */
const startIn = ({ isReplacedSince, width }: Stream, asOf: number): number[] =>
  Array.from({ length: width }, (_, index) =>
    index > 0 ? Number.MAX_SAFE_INTEGER : isReplacedSince ? asOf : -1,
  );

/**
 * Reads the next part of a municipality as it was at an instant: skips versions recorded later, and reads versions replaced
 * later.
 *
 * @param asOf the change as of which it is read
 * @param ofPlates reads only tables that hold plates
 * @returns the rows, all of one table, and the position of the next part (null at the end)
 */
export async function readPart(
  db: D1Database,
  municipality: number,
  asOf: number,
  position: Position,
  { ofPlates = false } = {},
): Promise<{ readonly rows: Rows; readonly next: Position | null }> {
  const [stream, following] = streamsFrom(ofPlates ? WITH_PLATES : STREAMS, position);
  const { results } = await all(
    stream.read.prepare(db, {
      ...{ municipality, rows: stream.most, asOf },
      after: json(position.after ?? startIn(stream, asOf)),
    }),
  );
  const rows = rowsOf(stream.table.kind, results);
  const last = results.at(-1);
  if (last !== undefined && (last.found === stream.most || results.length < last.found)) {
    return { rows, next: { table: stream.name, after: parsed(last.place) } };
  }
  return { rows, next: following === undefined ? null : startOf(following) };
}

/** The statements that store rows in their order, each for as many as a parameter takes. Idempotent. */
export const storing = (db: D1Database, municipality: number, rows: readonly Rows[]): D1PreparedStatement[] =>
  rows.flatMap(({ kind, items }) =>
    [...chunksOf(items)].flatMap((chunk) =>
      (KINDS.get(kind)?.writes ?? []).map((write) =>
        write.prepare(db, { municipality, items: `[${chunk.join()}]` }),
      ),
    ),
  );

/** Texts in groups of at most {@link MAX_BYTES} characters. A longer text is a group of its own. */
export function* chunksOf(texts: readonly string[], most = Number.POSITIVE_INFINITY): Generator<string[]> {
  let chunk: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (chunk.length > 0 && (characters + text.length > MAX_BYTES || chunk.length === most)) {
      yield chunk;
      [chunk, characters] = [[], 0];
    }
    chunk.push(text);
    characters += text.length;
  }
  if (chunk.length > 0) {
    yield chunk;
  }
}

/**
 * The values that a running backup compares: the newest digest of an erased plate, the number of payments that have lost their
 * plate, and the call that made the backup's change.
 */
const STANDING = statement(
  { ...CITY, asOf: value<number>() },
  ({ municipality, asOf }) => sql<{ standing: string; mark: string | null }>`
select ${jsonArray([
    sql`(select max(${erasedPlates.id}) from ${tableByIndex(erasedPlates, 'erased_plates_by_city')} where ${erasedPlates.municipalityId} = ${municipality})`,
    sql`(select count(*) from ${tableByIndex(payments, 'payments_by_plate')} where ${payments.municipalityId} = ${municipality} and ${payments.plate} < '0')`,
  ])} as standing,
  (select ${uuidOf(changes.requestId)} from ${changes} where ${changes.municipalityId} = ${municipality} and ${changes.recordedAt} = ${asOf}) as mark`,
);

/** @param asOf the change as of which the backup is read; its `mark` is empty if the database does not have it */
export async function readStandingOf(db: D1Database, municipality: number, asOf: number) {
  const found = await first(STANDING.prepare(db, { municipality, asOf }));
  return { standing: found?.standing ?? '', mark: found?.mark ?? '' };
}
