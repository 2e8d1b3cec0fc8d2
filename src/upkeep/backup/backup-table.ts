import { eq, max, sql } from 'drizzle-orm';
import { batch, db, query } from '../../storage/db/batch.ts';
import { changes, municipalities, tenants } from '../../storage/db/schema/index.ts';
import { list, literal } from '../../storage/db/sql.ts';
import type { Position } from './position.ts';
import { CONFIGURATION, namedIn, readsOf, type StoredTable, TABLES } from './stored-table.ts';

/** A row of a backup: its values, in the order of their names. */
export interface Row {
  readonly kind: string;
  readonly values: readonly unknown[];
}

/** The names of a kind's values. */
export const NAMES = Object.fromEntries(
  [...CONFIGURATION, ...TABLES].map((table) => [table.kind, readsOf(table).map(([name]) => name)]),
);

type Values = Readonly<Record<string, unknown>>;
const rowsOf = (kind: string, rows: readonly Values[]): Row[] =>
  rows.map((values) => ({ kind, values: (NAMES[kind] ?? []).map((name) => values[name]) }));

const placeName = (index: number): string => `place_${index}`;

/** The next rows of a table, in its order. Values: `municipality`, `asOf`, `begunAt`, and the numbers of the last row. */
const reading = (stored: StoredTable) => {
  const { table, municipality, order, taken, rows } = stored;
  const named = namedIn(stored);
  const values = readsOf(stored).map(([name, read]) => sql`${read(named)} as ${sql.identifier(name)}`);
  const places = order.map((column, index) => sql`${column} as ${sql.identifier(placeName(index))}`);
  const after = order.map((_, index) => sql`${sql.placeholder(placeName(index))}`);
  const next =
    order.length === 0 ? sql`` : sql`and (${list(order)}) > (${list(after)}) order by ${list(order)}`;
  return query(() =>
    db.all<Values>(sql`select ${list([...places, ...values])} from ${table}
      where ${municipality} = ${sql.placeholder('municipality')} and ${taken} ${next} limit ${literal(rows)}`),
  );
};

const NEWEST_CHANGE = query(() =>
  db
    .select({ asOf: max(changes.recordedAt) })
    .from(changes)
    .where(eq(changes.municipalityId, sql.placeholder('municipality'))),
);

const PAST_SINCE = query(() =>
  db
    .select({ pastSince: municipalities.pastSince })
    .from(municipalities)
    .where(eq(municipalities.id, sql.placeholder('municipality'))),
);

const MUNICIPALITY = query(() =>
  db
    .select({
      id: municipalities.id,
      restoring: municipalities.restoring,
      tenant: sql<string>`${tenants.code}`.as('tenant'),
    })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .where(eq(municipalities.code, sql.placeholder('code'))),
);

export async function findMunicipality(d1: D1Database, code: string) {
  const [[found]] = await batch(d1, [MUNICIPALITY], { code });
  return found ?? null;
}

const CONFIGURATION_ROWS = CONFIGURATION.map(reading);
const READING = TABLES.map(reading);

/** Reads the configuration, and the newest change: the backup is as of that. */
export async function readBeginning(d1: D1Database, municipality: number) {
  const [[newest], ...configured] = await batch(d1, [NEWEST_CHANGE, ...CONFIGURATION_ROWS], { municipality });
  return {
    asOf: newest?.asOf ?? 0,
    rows: CONFIGURATION.flatMap(({ kind }, index) => rowsOf(kind, configured[index] ?? [])),
  };
}

/**
 * Reads the next rows of a table.
 *
 * @param index the table's place in the list
 * @param after the numbers of its last row
 * @returns the rows; the numbers of the last one, null once none is left; and whether the rows of an erased plate may have lost
 *   their parent: its key has become a digest, perhaps since it was read
 */
export async function readRows(
  d1: D1Database,
  { municipality, asOf, begunAt }: Position,
  index: number,
  after: readonly number[],
) {
  const [stored, read] = [TABLES[index], READING[index]];
  if (stored === undefined || read === undefined) throw new Error(`there is no table ${index}`);
  const { kind, order, rows: most, travels } = stored;
  const places = Object.fromEntries(order.map((_, place) => [placeName(place), after[place] ?? -1]));
  const [found, [row]] = await batch(d1, [read, PAST_SINCE], { municipality, asOf, begunAt, ...places });
  const last = found.length < most ? undefined : found.at(-1);
  const parents = travels.flatMap(({ isErasable, reads }) => (isErasable ? Object.keys(reads) : []));
  return {
    rows: rowsOf(kind, found),
    last: last === undefined ? null : order.map((_, place) => Number(last[placeName(place)])),
    hasLostParents:
      (row?.pastSince ?? 0) > asOf &&
      found.some((values) => parents.some((name) => String(values[name] ?? '').startsWith('*'))),
  };
}
