import { eq, max, type SQL, sql } from 'drizzle-orm';
import { batch, db, query } from '../../storage/db/batch.ts';
import { changes, municipalities, tenants } from '../../storage/db/schema/index.ts';
import { list, literal } from '../../storage/db/sql.ts';
import { CONFIGURATION, namedIn, OWN, readsOf, type StoredTable, TABLES } from './stored-table.ts';

/** A row of a backup: its values, in the order of their names. */
export interface Row {
  readonly kind: string;
  readonly values: readonly unknown[];
}

/** The names of a kind's values. */
export const NAMES: Record<string, string[]> = {
  municipality: readsOf(OWN).map(([name]) => name),
  ...Object.fromEntries(
    [...CONFIGURATION, ...TABLES].map(({ kind, travels }) => [kind, readsOf(travels).map(([name]) => name)]),
  ),
};

type Values = Readonly<Record<string, unknown>>;
const rowOf = (kind: string, values: Values): Row => ({
  kind,
  values: (NAMES[kind] ?? []).map((name) => values[name]),
});

const placeName = (index: number): SQL => sql.raw(`place_${index}`);

/** The next rows of a table, in its order. Values: `municipality`, `asOf`, `begunAt`, and the numbers of the last row. */
const reading = (stored: StoredTable) => {
  const { table, travels, order, taken, rows } = stored;
  const named = namedIn(stored);
  const values = readsOf(travels).map(([name, read]) => sql`${read(named)} as ${sql.identifier(name)}`);
  const places = order.map((column, index) => sql`${column} as ${placeName(index)}`);
  const after = order.map((_, index) => sql`${sql.placeholder(`place_${index}`)}`);
  const isNext = order.length === 0 ? sql`` : sql`and (${list(order)}) > (${list(after)})`;
  const inOrder = order.length === 0 ? sql`` : sql`order by ${list(order)}`;
  return query(() =>
    db.all<Values>(sql`select ${list([...places, ...values])} from ${table}
      where ${table.municipalityId} = ${sql.placeholder('municipality')} and ${taken} ${isNext} ${inOrder} limit ${literal(rows)}`),
  );
};

const OWN_ROW = query(() =>
  db.all<Values>(
    sql`select ${list(
      readsOf(OWN).map(
        ([name, read]) => sql`${read((of) => sql`${sql.identifier(of)}`)} as ${sql.identifier(name)}`,
      ),
    )} from ${municipalities} where ${municipalities.id} = ${sql.placeholder('municipality')}`,
  ),
);

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
  const [newest, own, ...configured] = await batch(d1, [NEWEST_CHANGE, OWN_ROW, ...CONFIGURATION_ROWS], {
    municipality,
  });
  const rows = configured.flatMap((read, index) =>
    read.map((values) => rowOf(CONFIGURATION[index]?.kind ?? '', values)),
  );
  return {
    asOf: newest[0]?.asOf ?? 0,
    rows: [...own.map((values) => rowOf('municipality', values)), ...rows],
  };
}

export interface Asked {
  readonly municipality: number;
  readonly asOf: number;
  readonly begunAt: number;
}

/**
 * Reads the next rows of a table.
 *
 * @param index the table's place in the list
 * @param after the numbers of its last row
 * @returns the rows; the numbers of the last one, null once none is left; and whether the rows of an erased plate may have lost
 *   their parent: its key has become a digest, perhaps since it was read
 */
export async function readRows(d1: D1Database, asked: Asked, index: number, after: readonly number[]) {
  const stored = TABLES[index];
  const read = READING[index];
  if (stored === undefined || read === undefined) throw new Error(`there is no table ${index}`);
  const { kind, order, parent = '', rows: most } = stored;
  const places = Object.fromEntries(order.map((_, place) => [`place_${place}`, after[place] ?? -1]));
  const [found, [row]] = await batch(d1, [read, PAST_SINCE], { ...asked, ...places });
  const last = found.length < most ? undefined : found.at(-1);
  const isErased = (row?.pastSince ?? 0) > asked.asOf;
  return {
    rows: found.map((values) => rowOf(kind, values)),
    last: last === undefined ? null : order.map((_, place) => Number(last[`place_${place}`])),
    hasLostParents: isErased && found.some((values) => String(values[parent] ?? '').startsWith('*')),
  };
}
