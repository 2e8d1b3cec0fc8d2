import { type SQL, sql } from 'drizzle-orm';
import { alias, getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { sum } from '../../domain/sum.ts';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { changes, erasedPlates, municipalities, payments, sources } from '../../storage/db/schema/index.ts';
import type { Position } from '../../storage/db/schema/moves.ts';
import {
  bare,
  type Json,
  json,
  jsonArray,
  list,
  literal,
  parsed,
  tableAs,
  tableByIndex,
  uuidOf,
} from '../../storage/db/sql.ts';
import {
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

/** The columns of a municipality's own row that a backup has: all but its identity and its database. */
const OWN: StoredTable = {
  ...{ kind: 'municipality', table: municipalities, owner: municipalities.id, key: [municipalities.id] },
  reading: { by: 'owner' },
  travels: asTheyAre(
    municipalities,
    [
      ...[municipalities.id, municipalities.tenantId, municipalities.code, municipalities.tenantActive],
      ...[municipalities.movedTo, municipalities.arriving, municipalities.livedIn, municipalities.stay],
      municipalities.writesStoppedUntil,
    ].map(({ name }) => name),
  ),
};

/** Tables that are read whole: those of few rows, the municipality's own row, and the last day's rows of tables kept for a day. */
const WHOLE = [OWN, ...STORED_TABLES].flatMap((table) => {
  const { kind, reading, isLeftOutOfBackups = false } = table;
  if (reading.by === 'order') {
    return [];
  }
  const isByAge = reading.by === 'age';
  const read = statement(
    { ...CITY, since: value<number>(), most: value<number>() },
    ({ municipality, since, most }) => {
      const { from, where } = ofCity(table, municipality);
      const isRecent = reading.by === 'age' ? sql`and ${reading.isSince(since)}` : sql``;
      return sql<{
        item: string;
      }>`select ${itemOf(table)} as item from ${from} where ${where} ${isRecent} limit ${most}`;
    },
  );
  return [{ kind, isByAge, isLeftOutOfBackups, read }];
});

/** The versions recorded or replaced after `since`, as they were at `asOf`. */
interface Pass {
  readonly since: number;
  readonly asOf: number;
}

/** Before all instants. */
export const EVER = -1;
/** All rows of a copy that is not in use yet. */
export const ALL: Pass = { since: EVER, asOf: Number.MAX_SAFE_INTEGER };

type Ordered = Extract<StoredTable['reading'], { by: 'order' }>;

/** At most this many rows of a pass, after the row with these numbers. */
const NEXT = {
  ...CITY,
  ...{ rows: value<number>(), asOf: value<number>(), since: value<number>() },
  after: value<Json<readonly number[]>>(),
};
type Next = ValuesOf<typeof NEXT>;

const MAX_ROWS = 1_000;
const MAX_LARGE_ROWS = 50;

/**
 * The rows of a table in their order, some at a time.
 *
 * @param past the table of versions replaced since the pass began, which are read as if they were the present
 */
function streamOf(table: StoredTable, past: StoredTable | null, { order, at, ...reading }: Ordered) {
  const source = past ?? table;
  const numbers = order.map((_, index) => sql.raw(`n${index}`));
  const recordedAt = columnOf(source.table)('recorded_at');
  const next = (what: SQL, { municipality, rows, asOf, since, after }: Parameters<Next>): SQL => {
    const { from, where } = ofCity(source, municipality);
    const isInPass =
      past !== null
        ? sql`${recordedAt} > ${since} and ${recordedAt} <= ${asOf}`
        : 'until' in reading
          ? sql`${reading.until} > ${since}`
          : sql`${at} <= ${asOf}`;
    return sql`select ${what} from ${from}
  where ${where} and (${list(order)}) > (${list(order.map((_, index) => sql`${after} ->> ${literal(index)}`))}) and ${isInPass}
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
    /** Whether rows have an instant of recording or replacement, and whether they are versions replaced since. */
    isTimed: at !== null,
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
    count: statement(
      NEXT,
      (values) => sql<{ rows: number }>`select count(*) as rows from (${next(sql`1`, values)})`,
    ),
  };
}
type Stream = ReturnType<typeof streamOf>;

/** Each table, followed by its versions that were replaced since, as if they were the present. */
const STREAMS: readonly Stream[] = STORED_TABLES.flatMap((table) =>
  [null, ...STORED_TABLES.filter(({ pastOf }) => pastOf?.table === table.table)].flatMap((past) => {
    const { reading } = past ?? table;
    return reading.by === 'order' ? [streamOf(table, past, reading)] : [];
  }),
);

const WITH_PLATES = STREAMS.filter(({ table, isReplacedSince }) => table.plate && !isReplacedSince);

const startOf = ([first]: readonly Stream[]): Position => ({ table: first?.name ?? '', after: null });
export const FIRST = startOf(STREAMS);
export const FIRST_WITH_PLATES = startOf(WITH_PLATES);

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
  const { table, key, otherKey, travels, hasNoUniqueKey, also = [] } = stored;
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
      : sql`${into} from ${arrived.items} where true ${sql.join(
          [key, ...(otherKey ? [otherKey] : [])].map(
            (columns) => sql`on conflict (${list(columns.map(bare))}) do ${replace}`,
          ),
          sql` `,
        )}`;
  };
  return [write, ...also].map((make) => writing(stored, make));
}

/** The tables whose rows travel, by kind: the names of the values, and the statements that write them. */
export const KINDS = new Map(
  [OWN, ...STORED_TABLES].map((table) => [
    table.kind,
    { ...table.travels, plate: table.plate, writes: writesOf(table) },
  ]),
);

export const platesIn = (rows: readonly Rows[]): string[] => [
  ...new Set(
    rows.flatMap(({ kind, items }) => {
      const { reads = {}, plate } = KINDS.get(kind) ?? {};
      const at = Object.keys(reads).indexOf(plate?.column.name ?? '');
      return at < 0 ? [] : items.map((item) => (JSON.parse(item) as string[])[at] ?? '');
    }),
  ),
];

const former = alias(changes, 'former');

/**
 * The municipality's newest change, and the call that made it. A database that was put back lacks this pair. Also the call that
 * made the change of an earlier pass.
 */
const NEWEST_CHANGE = statement({ ...CITY, earlier: value<number>() }, ({ municipality, earlier }) =>
  select(
    {
      at: changes.recordedAt,
      mark: uuidOf(changes.requestId),
      earlierMark: sql<string | null>`(select ${uuidOf(former.requestId)} from ${tableAs(changes, former)}
  where ${former.municipalityId} = ${municipality} and ${former.recordedAt} = ${earlier})`,
    },
    sql`from ${changes}
where ${changes.municipalityId} = ${municipality} and ${changes.recordedAt} = ${lastRecordedAt(municipality)}`,
  ),
);

/** Selects the tables to read whole: for a backup, for a pass of a move, or for its last pass. */
export type Beginning =
  | { readonly for: 'backup' | 'pass' }
  | { readonly for: 'last pass'; readonly since: number; readonly most: number };

/**
 * Reads the beginning of a backup or a pass, as of one instant.
 *
 * @param earlier the change as of which the pass before was read
 * @returns the municipality's newest change with the mark that tells it from another at this instant, the mark of the earlier
 *   change (empty if the database does not have it), the rows of the tables that are read whole, and whether one had more than
 *   `most` since the given instant
 */
export async function readBeginning(
  db: D1Database,
  municipality: number,
  beginning: Beginning,
  earlier: number = EVER,
) {
  const { since, most } = { since: EVER, most: Number.MAX_SAFE_INTEGER, ...beginning };
  const whole = WHOLE.filter(({ isByAge, isLeftOutOfBackups }) =>
    beginning.for === 'backup' ? !isLeftOutOfBackups : beginning.for === 'last pass' || !isByAge,
  );
  const [newest, ...read] = await batch(db, [
    NEWEST_CHANGE.prepare(db, { municipality, earlier }),
    ...whole.map((each) =>
      each.read.prepare(db, { municipality, since, most: each.isByAge ? most + 1 : -1 }),
    ),
  ]);
  const { at: asOf, mark, earlierMark } = newest.results[0] ?? { at: 0, mark: '', earlierMark: null };
  const rows = whole.map(({ kind }, index) => rowsOf(kind, read[index]));
  const isCut = whole.some(({ isByAge }, index) => isByAge && (rows[index]?.items.length ?? 0) > most);
  return { asOf, mark, earlierMark: earlierMark ?? '', rows, isCut };
}

const rowsOf = (kind: string, read: D1Result<{ item: string }> | undefined): Rows => ({
  kind,
  items: (read?.results ?? []).map(({ item }) => item),
});

function streamsFrom(streams: readonly Stream[], { table }: Position): readonly Stream[] {
  const first = streams.findIndex(({ name }) => name === table);
  if (first < 0) {
    throw new Error(`there is no table ${table}`);
  }
  return streams.slice(first);
}

/** The numbers after which a pass begins to read a table. */
const startIn = ({ isReplacedSince, isTimed, width }: Stream, { since, asOf }: Pass): number[] =>
  Array.from({ length: width }, (_, index) =>
    index > 0 ? Number.MAX_SAFE_INTEGER : isReplacedSince ? asOf : isTimed ? since : 0,
  );

const valuesOf = (municipality: number, stream: Stream, pass: Pass, { table, after }: Position): Next => ({
  ...{ municipality, rows: stream.most, asOf: pass.asOf, since: pass.since },
  after: json((stream.name === table ? after : null) ?? startIn(stream, pass)),
});

/**
 * Reads the next part of a municipality as it was at an instant: skips versions recorded later, and reads versions replaced
 * later.
 *
 * @param maxTables the most tables to read
 * @param ofPlates reads only tables that hold plates
 * @returns the rows, the position of the next part (null at the end), and the number of statements sent
 */
export async function readPart(
  db: D1Database,
  municipality: number,
  pass: Pass,
  position: Position,
  { maxTables = Number.POSITIVE_INFINITY, ofPlates = false } = {},
): Promise<{ readonly rows: readonly Rows[]; readonly next: Position | null; readonly statements: number }> {
  const left = streamsFrom(ofPlates ? WITH_PLATES : STREAMS, position);
  // Inside a large table, reads only that: the next ones would have no room.
  const streams = left.slice(0, position.after === null ? maxTables : 1);
  const read = await batch(
    db,
    streams.map((stream) => stream.read.prepare(db, valuesOf(municipality, stream, pass, position))),
  );
  const rows: Rows[] = [];
  const upTo = (next: Position | null) => ({ rows, next, statements: streams.length });
  let [bytes, count] = [0, 0];
  for (const [index, { name, table, most }] of streams.entries()) {
    const { results } = read[index] ?? { results: [] };
    rows.push(rowsOf(table.kind, read[index]));
    const last = results.at(-1);
    if (last !== undefined && (last.found === most || results.length < last.found)) {
      return upTo({ table: name, after: parsed(last.place) });
    }
    bytes += sum(results.map(({ item }) => item.length));
    count += results.length;
    const following = left[index + 1];
    if (following !== undefined && (bytes > MAX_BYTES || count >= MAX_ROWS || index === streams.length - 1)) {
      return upTo(startOf([following]));
    }
  }
  return upTo(null);
}

/** Rows left to copy are counted up to here, per table. */
const MAX_COUNTED = 10_000;

/** Counts the rows left to read in a pass. */
export async function countLeft(
  db: D1Database,
  municipality: number,
  pass: Pass,
  position: Position,
): Promise<number> {
  const counts = await batch(
    db,
    streamsFrom(STREAMS, position).map((stream) =>
      stream.count.prepare(db, { ...valuesOf(municipality, stream, pass, position), rows: MAX_COUNTED }),
    ),
  );
  return sum(counts.map(({ results: [count] }) => count?.rows ?? 0));
}

const TIMED = new Set(STREAMS.flatMap(({ table, isTimed }) => (isTimed ? [table.kind] : [])));

/** Counts the rows that were recorded or replaced since. The others come with every pass. */
export const countNews = (rows: readonly Rows[]): number =>
  countOf(rows.filter(({ kind }) => TIMED.has(kind)));
export const countOf = (rows: readonly Rows[]): number => sum(rows.map(({ items }) => items.length));

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
 * plate, the stay (null if the municipality lives elsewhere), and the call that made the backup's change.
 */
const STANDING = statement(
  { ...CITY, asOf: value<number>() },
  ({ municipality, asOf }) => sql<{ standing: string; mark: string | null }>`
select ${jsonArray([
    sql`(select max(${erasedPlates.id}) from ${tableByIndex(erasedPlates, 'erased_plates_by_city')} where ${erasedPlates.municipalityId} = ${municipality})`,
    sql`(select count(*) from ${tableByIndex(payments, 'payments_by_plate')} where ${payments.municipalityId} = ${municipality} and ${payments.plate} < '0')`,
    sql`iif(${municipalities.movedTo} is null or ${municipalities.arriving}, ${municipalities.stay}, null)`,
  ])} as standing,
  (select ${uuidOf(changes.requestId)} from ${changes} where ${changes.municipalityId} = ${municipality} and ${changes.recordedAt} = ${asOf}) as mark
from ${municipalities} where ${municipalities.id} = ${municipality}`,
);

/** @param asOf the change as of which the backup is read; its `mark` is empty if the database does not have it */
export async function readStandingOf(db: D1Database, municipality: number, asOf: number) {
  const found = await first(STANDING.prepare(db, { municipality, asOf }));
  return { standing: found?.standing ?? '', mark: found?.mark ?? '' };
}
