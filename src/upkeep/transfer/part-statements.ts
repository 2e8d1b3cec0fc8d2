import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { changes, erasedPlates, municipalities, sources } from '../../storage/db/schema/index.ts';
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
export const FEW = STORED_TABLES.filter(({ reading }) => reading.by === 'owner').map((table) => ({
  table,
  read: readAll(table),
}));

/** What counts for a day. 2: since when; 3: how many rows. */
export const RECENT = STORED_TABLES.flatMap((table) =>
  table.reading.by === 'age'
    ? [{ table, read: readAll(table, sql`and ${table.reading.isSince(parameter(2))} limit ${parameter(3)}`) }]
    : [],
);

/** The rows of a table in their order, some at a time. */
export interface Stream {
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
export const STREAMS: readonly Stream[] = STORED_TABLES.flatMap((table) => [
  ...streamOf(table, null),
  ...STORED_TABLES.filter(({ pastOf }) => pastOf?.table === table.table).flatMap((past) =>
    streamOf(table, past),
  ),
]);

/** The municipality's newest change, and the call that made it: a database that was put back does not have that pair. */
export const NEWEST_CHANGE = statement(
  () => sql`select ${changes.recordedAt} as at, ${uuidOf(changes.requestId)} as mark from ${changes}
where ${changes.municipalityId} = ${MUNICIPALITY} and ${changes.recordedAt} = ${lastRecordedAt(MUNICIPALITY)}`,
);

/** 2: the instant as of which a backup is. The newest digest of a plate erased from the municipality, the call that made that
 * change, and the stay, where it lives here. */
export const STANDING = statement(
  () => sql`select coalesce((select max(${erasedPlates.id}) from ${tableByIndex(erasedPlates, 'erased_plates_by_city')} where ${erasedPlates.municipalityId} = ${MUNICIPALITY}), 0) as erased,
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
export function writesOf(stored: StoredTable): (() => string)[] {
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

export const OWN_ROW = {
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
