import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { changes, erasedPlates, municipalities, payments, sources } from '../../storage/db/schema/index.ts';
import type { Position } from '../../storage/db/schema/moves.ts';
import {
  bare,
  jsonArray,
  list,
  literal,
  parameter,
  statement,
  tableByIndex,
  uuidOf,
} from '../../storage/db/sql.ts';
import { ITEMS } from '../../storage/db/stored-subscriptions.ts';
import type { StoredTable } from '../../storage/db/stored-table.ts';
import { STORED_TABLES } from '../../storage/db/stored-tables.ts';
import { asTheyAre, MUNICIPALITY, type Named, type Travelling } from '../../storage/db/travelling.ts';

/** What one statement reads of a table, in bytes, but for the last row: a parameter may have 2 MB, and gates ask the same database. */
export const MAX_BYTES = 400_000;

const column =
  (table: SQLiteTable): Named =>
  (name) =>
    sql`${table}.${sql.identifier(name)}`;
const has = (table: SQLiteTable, name: string): boolean =>
  getTableConfig(table).columns.some((column) => column.name === name);

/** A row as it travels: a JSON list. */
const itemOf = ({ travels }: Pick<StoredTable, 'travels'>, of: Named): SQL =>
  jsonArray(Object.values(travels.reads).map((read) => read(of)));

const present =
  ({ table, computed }: StoredTable): Named =>
  (name) =>
    computed?.[name] ?? column(table)(name);

/** A version that has been replaced since as if it were the present. What it does not have is as it is now: it never changes. */
const asPresent =
  ({ table }: StoredTable, past: StoredTable): Named =>
  (name) =>
    has(past.table, name)
      ? column(past.table)(name)
      : sql`(select ${sql.identifier(name)} from ${table} where ${column(table)('id')} = ${past.pastOf?.id})`;

/** The rows of a municipality, or of its sources, in a table. */
export const ofCity = (
  { table, owner, reading }: StoredTable,
  municipality: SQL = MUNICIPALITY,
): { readonly from: SQL; readonly where: SQL } => {
  const { index } = reading;
  const rows = index === undefined ? sql`${table}` : tableByIndex(table, index);
  return owner.name === 'source_id'
    ? {
        from: sql`${sources} cross join ${rows} on ${owner} = ${sources.id}`,
        where: sql`${sources.municipalityId} = ${municipality}`,
      }
    : { from: rows, where: sql`${owner} = ${municipality}` };
};

const readAll = (table: StoredTable, and = sql``) =>
  statement(() => {
    const { from, where } = ofCity(table);
    return sql`select ${itemOf(table, present(table))} as item from ${from} where ${where} ${and}`;
  });

/** Tables of few rows. */
const FEW = STORED_TABLES.filter(({ reading }) => reading.by === 'owner').map((table) => ({
  table,
  read: readAll(table),
}));

/** What counts for a day. 2: since when; 3: how many rows. */
const RECENT = STORED_TABLES.flatMap((table) =>
  table.reading.by === 'age'
    ? [{ table, read: readAll(table, sql`and ${table.reading.isSince(parameter(2))} limit ${parameter(3)}`) }]
    : [],
);

/** The rows of a table in their order, some at a time. */
interface Stream {
  readonly name: string;
  readonly kind: string;
  /** How many numbers name a row. */
  readonly width: number;
  /** Whether rows are recorded or replaced at some time, and whether they are versions that were replaced since. */
  readonly isTimed: boolean;
  readonly isReplacedSince: boolean;
  readonly hasLargeRows: boolean;
  readonly read: () => string;
  readonly count: () => string;
}

const UP_TO = parameter(3);

/**
 * 2: how many rows; 3: the instant as of which they are read; 4 and on: the numbers behind which reading goes on. `found` counts
 * the rows that there were, with those that had no room.
 */
function streamOf(table: StoredTable, past: StoredTable | null): Stream[] {
  const source = past ?? table;
  if (source.reading.by !== 'order') {
    return [];
  }
  const { reading } = source;
  const { order, at } = reading;
  const { from, where } = ofCity(source);
  const of = past === null ? present(table) : asPresent(table, past);
  const numbers = order.map((_, index) => sql.raw(`n${index}`));
  const since = parameter(4 + order.length);
  const recordedAt = column(source.table)('recorded_at');
  const isWithin =
    past !== null
      ? sql`and ${recordedAt} > ${since} and ${recordedAt} <= ${UP_TO}`
      : reading.at === null
        ? sql`and ${UP_TO} is not null and ${reading.until} > ${since}`
        : sql`and ${reading.at} <= ${UP_TO}`;
  const rows = (what: SQL) => sql`select ${what} from ${from}
  where ${where} and (${list(order)}) > (${list(order.map((_, index) => parameter(4 + index)))}) ${isWithin}
  order by ${list(order)} limit ${parameter(2)}`;
  return [
    {
      name: past === null ? table.kind : `${table.kind} then`,
      kind: table.kind,
      width: order.length,
      isTimed: at !== null,
      isReplacedSince: past !== null,
      hasLargeRows: table.hasLargeRows ?? false,
      read: statement(
        () => sql`select ${jsonArray(numbers)} as place, item, found from (
  select *, count(*) over () as found,
    coalesce(sum(octet_length(item)) over (order by ${list(numbers)} rows between unbounded preceding and 1 preceding), 0) as before
  from (${rows(list([...order.map((number, index) => sql`${number} as ${numbers[index]}`), sql`${itemOf(table, of)} as item`]))})
) where before < ${literal(MAX_BYTES)} order by ${list(numbers)}`,
      ),
      count: statement(() => sql`select count(*) as rows from (${rows(sql`1`)})`),
    },
  ];
}

/** Each table is followed by those of its versions that were replaced since, as if they were the present. */
const STREAMS: readonly Stream[] = STORED_TABLES.flatMap((table) => [
  ...streamOf(table, null),
  ...STORED_TABLES.filter(({ pastOf }) => pastOf?.table === table.table).flatMap((past) =>
    streamOf(table, past),
  ),
]);

/** The municipality's newest change, and the call that made it: a database that was put back does not have that pair. */
const NEWEST_CHANGE = statement(
  () => sql`select ${changes.recordedAt} as at, ${uuidOf(changes.requestId)} as mark from ${changes}
where ${changes.municipalityId} = ${MUNICIPALITY} and ${changes.recordedAt} = ${lastRecordedAt(MUNICIPALITY)}`,
);

/** 2: the instant as of which a backup is. The newest digest of a plate erased from the municipality, how many payments have lost their
 * plate, the call that made that change, and the stay, where it lives here. */
const STANDING = statement(
  () => sql`select coalesce((select max(${erasedPlates.id}) from ${tableByIndex(erasedPlates, 'erased_plates_by_city')} where ${erasedPlates.municipalityId} = ${MUNICIPALITY}), 0) as erased,
  (select count(*) from ${tableByIndex(payments, 'payments_by_plate')} where ${payments.municipalityId} = ${MUNICIPALITY} and ${payments.plate} < '0') as erasedPayments,
  (select ${uuidOf(changes.requestId)} from ${changes} where ${changes.municipalityId} = ${MUNICIPALITY} and ${changes.recordedAt} = ${parameter(2)}) as mark,
  iif(${municipalities.movedTo} is null or ${municipalities.arriving}, ${municipalities.stay}, null) as stay
from ${municipalities} where ${municipalities.id} = ${MUNICIPALITY}`,
);

/** What others refer to is never another: and to set it, SQLite would look through all that refer to it. */
const REFERRED = ['id', 'municipality_id', 'code'];

/** A value of a row that has arrived. */
const arrived =
  ({ reads }: Travelling): Named =>
  (name) => {
    const index = Object.keys(reads).indexOf(name);
    if (index < 0) {
      throw new Error(`nothing travels under the name ${name}`);
    }
    return sql.raw(`(item.value ->> ${index})`);
  };

/** Writes rows that have arrived. 2: a JSON list of them. A row of the same key is replaced. */
function writesOf(stored: StoredTable): (() => string)[] {
  const { table, key, travels, hasNoUniqueKey, also } = stored;
  const value = arrived(travels);
  const written = travels.writes.map(([target, write]) => ({ target, from: write(value) }));
  const into = sql`insert into ${table} (${list(written.map(({ target }) => bare(target)))})
select ${list(written.map(({ from }) => from))}`;
  const fixed = new Set([...REFERRED, ...key.map(({ name }) => name)]);
  const changed = written.filter(({ target }) => !fixed.has(target.name));
  const isKey = ({ target }: { readonly target: SQLiteColumn }) =>
    key.some(({ name }) => name === target.name);
  return [
    statement(() =>
      hasNoUniqueKey
        ? sql`${into} from (select distinct value from ${ITEMS}) as item where not exists (select 1 from ${table}
  where ${sql.join(
    written.filter(isKey).map(({ target, from }) => sql`${target} is ${from}`),
    sql` and `,
  )})`
        : sql`${into} from ${ITEMS} where true on conflict (${list(key.map(bare))}) do ${
            changed.length === 0
              ? sql`nothing`
              : sql`update set ${list(changed.map(({ target }) => sql`${bare(target)} = excluded.${bare(target)}`))}`
          }`,
    ),
    ...(also === undefined ? [] : also(value).map((write) => statement(() => write))),
  ];
}

/** What a municipality's own row says of it, except who it is and where it lives: it is in a backup. */
const OWN: Travelling = asTheyAre(
  municipalities,
  [
    ...[municipalities.id, municipalities.tenantId, municipalities.code, municipalities.tenantActive],
    ...[municipalities.movedTo, municipalities.arriving, municipalities.livedIn, municipalities.stay],
    municipalities.writesStoppedUntil,
  ].map(({ name }) => name),
);

const OWN_ROW = {
  kind: 'municipality',
  travels: OWN,
  read: statement(
    () => sql`select ${itemOf({ travels: OWN }, column(municipalities))} as item from ${municipalities}
where ${municipalities.id} = ${MUNICIPALITY}`,
  ),
  writes: [
    statement(
      () => sql`update ${municipalities} set ${list(OWN.writes.map(([target, write]) => sql`${bare(target)} = ${write(arrived(OWN))}`))}
from ${ITEMS} where ${municipalities.id} = ${MUNICIPALITY}`,
    ),
  ],
} as const;

/** Rows of one kind that have been read, each a JSON list. */
export interface Rows {
  readonly kind: string;
  readonly items: readonly string[];
}

/** Reads the versions recorded or replaced after `since`, as they were at `asOf`. */
interface Pass {
  readonly since: number;
  readonly asOf: number;
}

/** Before all instants. */
export const EVER = -1;
/** Where reading begins. */
export const FIRST: Position = { table: STREAMS[0]?.name ?? '', after: null };

interface Kind extends Pick<Travelling, 'reads' | 'defaults'> {
  readonly writes: readonly (() => string)[];
}

/** What travels, by kind: the names of its values, and what writes it. */
export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [OWN_ROW.kind, { ...OWN_ROW.travels, writes: OWN_ROW.writes }],
  ...STORED_TABLES.map((table): [string, Kind] => [
    table.kind,
    { ...table.travels, writes: writesOf(table) },
  ]),
]);

interface ItemRow {
  /** A JSON list. */
  readonly item: string;
}

const rowsOf = (kind: string, read: D1Result<ItemRow> | undefined): Rows => ({
  kind,
  items: (read?.results ?? []).map(({ item }) => item),
});

/**
 * Reads what a pass begins with, all of one instant.
 *
 * @returns the municipality's newest change with the mark that tells it from another of this instant, and the tables of few rows
 */
export async function readBeginning(db: D1Database, id: number, isBackup: boolean) {
  const few = FEW.filter(({ table }) => !(isBackup && table.isLeftOutOfBackups)).map(({ table, read }) => ({
    kind: table.kind,
    read,
  }));
  const read = isBackup ? [OWN_ROW, ...few] : few;
  const [newest, ...tables] = (await db.batch([
    db.prepare(NEWEST_CHANGE()).bind(id),
    ...read.map((each) => db.prepare(each.read()).bind(id)),
  ])) as [D1Result<{ at: number; mark: string }>, ...D1Result<ItemRow>[]];
  const { at, mark } = newest.results[0] ?? { at: 0, mark: '' };
  return { asOf: at, mark, rows: read.map(({ kind }, index) => rowsOf(kind, tables[index])) };
}

/** What a statement takes at most of a table, and what a part has when no further table is begun. */
const MAX_ROWS = 1_000;
const MAX_LARGE_ROWS = 50;

const startOf = ({ isTimed, isReplacedSince, width }: Stream, { since, asOf }: Pass): number[] =>
  Array.from({ length: width }, (_, index) =>
    index > 0 ? Number.MAX_SAFE_INTEGER : isReplacedSince ? asOf : isTimed ? since : 0,
  );

const TIMED = new Set(STREAMS.flatMap(({ kind, isTimed }) => (isTimed ? [kind] : [])));

/** How many of these rows were recorded or replaced since: the others come with every pass. */
export const countNews = (rows: readonly Rows[]): number =>
  rows.reduce((sum, { kind, items }) => sum + (TIMED.has(kind) ? items.length : 0), 0);

/** The streams from a position on. */
const streamsFrom = ({ table }: Position): readonly Stream[] => {
  const first = STREAMS.findIndex(({ name }) => name === table);
  if (first < 0) {
    throw new Error(`there is no table ${table}`);
  }
  return STREAMS.slice(first);
};

/** How many rows are read of a table at once. */
const most = ({ hasLargeRows }: Stream): number => (hasLargeRows ? MAX_LARGE_ROWS : MAX_ROWS);

const bound = (
  id: number,
  stream: Stream,
  pass: Pass,
  { table, after }: Position,
  rows = most(stream),
): unknown[] => [
  ...[id, rows, pass.asOf],
  ...((stream.name === table ? after : null) ?? startOf(stream, pass)),
  ...(stream.isReplacedSince || !stream.isTimed ? [pass.since] : []),
];

interface PlacedRow extends ItemRow {
  /** A JSON list of numbers. */
  readonly place: string;
  readonly found: number;
}

/**
 * Reads the next part of a municipality as it was at an instant, whatever is written meanwhile: what was recorded later is left
 * out, and what was replaced later is taken as it was.
 *
 * @returns its rows, where the next part begins (null: that was all), and how many statements were sent
 */
export async function readPart(
  db: D1Database,
  id: number,
  pass: Pass,
  position: Position,
  maxTables = Infinity,
): Promise<{ readonly rows: readonly Rows[]; readonly next: Position | null; readonly statements: number }> {
  const all = streamsFrom(position);
  // In the midst of a large table, nothing behind it is read in vain.
  const streams = all.slice(0, position.after === null ? maxTables : 1);
  const read = await db.batch<PlacedRow>(
    streams.map((stream) => db.prepare(stream.read()).bind(...bound(id, stream, pass, position))),
  );
  const rows: Rows[] = [];
  const upTo = (next: Position | null) => ({ rows, next, statements: streams.length });
  let [bytes, count] = [0, 0];
  for (const [index, stream] of streams.entries()) {
    const { results } = read[index] ?? { results: [] };
    rows.push({ kind: stream.kind, items: results.map(({ item }) => item) });
    const last = results.at(-1);
    if (last !== undefined && (last.found === most(stream) || results.length < last.found)) {
      // Numbers of the row, as the statement has made it.
      return upTo({ table: stream.name, after: JSON.parse(last.place) as number[] });
    }
    bytes += results.reduce((sum, { item }) => sum + item.length, 0);
    count += results.length;
    const following = all[index + 1];
    if (following !== undefined && (bytes > MAX_BYTES || count >= MAX_ROWS || index === streams.length - 1)) {
      return upTo({ table: following.name, after: null });
    }
  }
  return upTo(null);
}

/** How many rows a pass has still to read, those of each table counted up to a number. */
export async function countLeft(
  db: D1Database,
  id: number,
  pass: Pass,
  position: Position,
  max: number,
): Promise<number> {
  const counts = await db.batch<{ rows: number }>(
    streamsFrom(position).map((stream) =>
      db.prepare(stream.count()).bind(...bound(id, stream, pass, position, max)),
    ),
  );
  return counts.reduce((sum, { results: [count] }) => sum + (count?.rows ?? 0), 0);
}

/** Reads what counts for a day: of each table not more rows than a number, and one. */
export async function readRecent(db: D1Database, id: number, since: number, max: number): Promise<Rows[]> {
  const read = await db.batch<ItemRow>(RECENT.map(({ read }) => db.prepare(read()).bind(id, since, max + 1)));
  return RECENT.map(({ table }, index) => rowsOf(table.kind, read[index]));
}

/**
 * What stores rows, in their order: each statement for as many as a parameter takes. Storing them again changes nothing.
 */
export const storing = (db: D1Database, id: number, rows: readonly Rows[]): D1PreparedStatement[] =>
  rows.flatMap(({ kind, items }) =>
    chunksOf(items).flatMap((chunk) =>
      (KINDS.get(kind)?.writes ?? []).map((text) => db.prepare(text()).bind(id, `[${chunk.join()}]`)),
    ),
  );

function chunksOf(items: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let characters = MAX_BYTES;
  for (const item of items) {
    if (characters + item.length > MAX_BYTES) {
      chunks.push([]);
      characters = 0;
    }
    chunks.at(-1)?.push(item);
    characters += item.length;
  }
  return chunks;
}

/** What a backup compares: digests of erased plates, the change as of which it is, and the stay where it lives; null elsewhere. */
export async function readStandingOf(db: D1Database, id: number, asOf: number) {
  const found = await db
    .prepare(STANDING())
    .bind(id, asOf)
    .first<{ erased: number; erasedPayments: number; mark: string | null; stay: number | null }>();
  return {
    erased: found?.erased ?? 0,
    erasedPayments: found?.erasedPayments ?? 0,
    mark: found?.mark ?? '',
    stay: found?.stay ?? null,
  };
}
