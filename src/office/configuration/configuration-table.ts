import { eq, getTableColumns, inArray, or, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type * as z from 'zod';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import {
  type KINDS,
  type KindName,
  TENANT,
  type WholeMunicipality,
} from '../../storage/configuration/kinds.ts';
import { configurationOf } from '../../storage/configuration/versions-table.ts';
import { batch, db, named, type Query, query, read, withValues } from '../../storage/db/batch.ts';
import { bytesOfId } from '../../storage/db/changes.ts';
import {
  areas,
  changes,
  configurationVersions,
  municipalities,
  plans,
  sources,
  subscriptionTypes,
  tenants,
} from '../../storage/db/schema/index.ts';
import { bare, list, namedIn } from '../../storage/db/sql.ts';
import { isChanged, type Merged } from './changes.ts';

const TENANTS = query(() =>
  db
    .select()
    .from(tenants)
    .where(
      or(
        namedIn(tenants.code, 'tenants'),
        inArray(
          tenants.id,
          db
            .select({ id: municipalities.tenantId })
            .from(municipalities)
            .where(namedIn(municipalities.code, 'municipalities')),
        ),
      ),
    ),
);

const version = configurationVersions;
const other = alias(configurationVersions, 'other');
/** A subquery, so that each municipality's newest version is found by the key. */
const NEWEST = sql`(select max(${other.recordedAt}) from ${configurationVersions} as ${other} where ${other.municipalityId} = ${municipalities.id})`;

const MUNICIPALITIES = query(() =>
  db
    .select({
      code: municipalities.code,
      restoring: municipalities.restoring,
      tenant: named(tenants.code, 'tenant'),
      /** The instant of its newest version. */
      version: version.recordedAt,
      record: version.record,
      /** How many of its versions are of this UTC day. */
      changesToday: sql<number>`(
        select count(*) from ${configurationVersions} as ${other}
        where ${other.municipalityId} = ${municipalities.id} and ${other.recordedAt} >= ${sql.placeholder('today')})`.as(
        'changes_today',
      ),
    })
    .from(municipalities)
    .innerJoin(tenants, eq(tenants.id, municipalities.tenantId))
    .innerJoin(
      version,
      sql`${version.municipalityId} = ${municipalities.id} and ${version.recordedAt} = ${NEWEST}`,
    )
    .where(namedIn(municipalities.code, 'municipalities')),
);

/** Reads tenants and municipalities with their tenants, by their codes. */
export async function readConfiguration(
  d1: D1Database,
  asked: { readonly tenants: readonly string[]; readonly municipalities: readonly string[] },
  now: Instant,
) {
  const [tenantRows, rows] = await read(d1, [TENANTS, MUNICIPALITIES], {
    tenants: JSON.stringify(asked.tenants),
    municipalities: JSON.stringify(asked.municipalities),
    today: now - (now % DAY_MS),
  });
  const stored = rows.map(({ code, restoring, tenant, version, record, changesToday }) => {
    // A restored municipality may have another tenant than the one of its backup.
    const whole = { ...configurationOf(record), tenant };
    return [code, { whole, isRestoring: restoring !== null, version, changesToday }] as const;
  });
  return {
    tenants: new Map(tenantRows.map((row) => [row.code, TENANT.whole.parse(row)])),
    municipalities: new Map(stored),
  };
}

/** Tenants and municipalities, by code. */
export type StoredConfiguration = Awaited<ReturnType<typeof readConfiguration>>;

const TABLES: Readonly<Record<KindName, SQLiteTable>> = {
  tenants,
  municipalities,
  areas,
  sources,
  subscription_types: subscriptionTypes,
  plans,
};

/** The row of a whole item, by the names of the columns. A column without a property of its name is named here. */
const ROWS: { readonly [Name in KindName]: (item: z.output<(typeof KINDS)[Name]['whole']>) => object } = {
  tenants: (tenant) => tenant,
  municipalities: ({ timezone, services, ...own }) => ({
    ...own,
    time_zone: timezone,
    ...Object.fromEntries(Object.entries(services).map(([name, isOn]) => [`${name}_enabled`, isOn])),
  }),
  areas: ({ facility, closed_until, ...own }) => ({
    ...own,
    ...facility,
    closed_until: closed_until && Date.parse(closed_until),
  }),
  sources: (source) => source,
  subscription_types: (type) => type,
  plans: ({ codice_tariffa, importo_eurocent, descrizione, operations, ...own }) => ({
    ...own,
    code: codice_tariffa,
    amount_cents: importo_eurocent,
    description: descrizione,
    for_first_activation: operations.includes('first_activation'),
    for_renewal: operations.includes('renewal'),
  }),
};

const fromLine = (property: string): SQL => sql.raw(`line.value ->> '$.${property}'`);

/** The id of the municipality that a line names. */
const MUNICIPALITY_ID = sql`(
  select ${municipalities.id} from ${municipalities} where ${municipalities.code} = ${fromLine('municipality')})`;

/** Columns of which a line has the codes. */
const IDS: Readonly<Record<string, SQL>> = {
  tenant_id: sql`(select ${tenants.id} from ${tenants} where ${tenants.code} = ${fromLine('tenant')})`,
  municipality_id: MUNICIPALITY_ID,
  subscription_type_id: sql`(
    select ${subscriptionTypes.id} from ${subscriptionTypes}
    where ${subscriptionTypes.municipalityId} = ${MUNICIPALITY_ID}
      and ${subscriptionTypes.code} = ${fromLine('subscription_type')})`,
};

/** They never change. */
const KEY = ['municipality_id', 'code'];
/** Columns that are not the configuration's. */
const OTHERS = ['restoring', 'past_since', 'restored_at'];

/** Inserts rows, and updates those that are there. Value: `lines`, rows that name their municipality. */
const upsertInto = (table: SQLiteTable): Query<unknown> =>
  query(() => {
    const columns = Object.values(getTableColumns(table)).filter(({ name }) => !OTHERS.includes(name));
    const key = columns.filter(({ name }) => KEY.includes(name));
    const changed = columns.filter(({ name }) => !KEY.includes(name) && name !== 'id');
    // `where true`, or SQLite takes `on` for that of a join.
    return db.run(sql`
      insert into ${table} (${list(columns.map(bare))})
      select ${list(columns.map(({ name }) => IDS[name] ?? fromLine(name)))}
      from json_each(${sql.placeholder('lines')}) as line where true
      on conflict (${list(key.map(bare))})
      do update set ${list(changed.map((column) => sql`${bare(column)} = excluded.${bare(column)}`))}`);
  });

const UPSERTS = Object.entries(TABLES).map(([kind, table]) => [kind as KindName, upsertInto(table)] as const);

/**
 * Records a change of each municipality. Fails where another document has changed one since it was read: the column is not nullable.
 */
const RECORD_CHANGES = query(() =>
  db.insert(changes).select(sql`
    select ${municipalities.id},
      iif(
        (select max(${version.recordedAt}) from ${version} where ${version.municipalityId} = ${municipalities.id}) is ${fromLine('version')},
        max(${sql.placeholder('now')}, coalesce((select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${municipalities.id}), 0) + 1),
        null
      ),
      ${sql.placeholder('requestId')}
    from json_each(${sql.placeholder('lines')}) as line
    cross join ${municipalities} on ${municipalities.code} = ${fromLine('code')}`),
);

/** Fails where another document has changed a tenant since it was read: the column is not nullable. Value: `lines`, as they were. */
const CHECK_TENANTS = query(() =>
  db.insert(tenants).select(sql`
    select ${tenants.id}, null, ${tenants.name}, ${tenants.active}
    from json_each(${sql.placeholder('lines')}) as line
    cross join ${tenants} on ${tenants.code} = ${fromLine('code')}
    where (${tenants.name}, ${tenants.active}) is not (${fromLine('name')}, ${fromLine('active')})`),
);

const STORE_VERSIONS = query(() =>
  db.insert(configurationVersions).select(sql`
    select ${municipalities.id},
      (select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${municipalities.id}),
      line.value
    from json_each(${sql.placeholder('lines')}) as line
    cross join ${municipalities} on ${municipalities.code} = ${fromLine('code')}`),
);

/**
 * Writes what a document changes, and a version of each changed municipality, in one transaction.
 *
 * @param whole the changed municipalities, as they become
 * @throws an error for which {@link isConflict} is true where another document was stored since the configuration was read
 */
export async function writeConfiguration(
  d1: D1Database,
  stored: StoredConfiguration,
  items: readonly Merged[],
  whole: readonly WholeMunicipality[],
  by: { readonly requestId: string; readonly now: Instant },
): Promise<void> {
  const changed = Map.groupBy(items.filter(isChanged), ({ kind }) => kind);
  const upserts = UPSERTS.flatMap(([kind, upsert]) =>
    inChunks(upsert, (changed.get(kind) ?? []).map(lineOf)),
  );
  const tenantsBefore = (changed.get('tenants') ?? []).map(({ before, after }) => ({
    code: after.code,
    ...before,
  }));
  const versions = whole.map(({ code }) => ({ code, version: stored.municipalities.get(code)?.version }));
  await batch(
    d1,
    [
      ...inChunks(CHECK_TENANTS, tenantsBefore),
      ...upserts,
      ...inChunks(RECORD_CHANGES, versions),
      ...inChunks(STORE_VERSIONS, whole),
    ],
    { now: by.now, requestId: bytesOfId(by.requestId) },
  );
}

/** An item as a line of its upsert. Its id counts only where its row is new. */
const lineOf = ({ kind, municipality, after }: Merged): object => ({
  // The schema of its kind made it.
  ...ROWS[kind](after as never),
  municipality,
  // The database counts the municipalities: theirs stand in every row and index.
  id: kind === 'municipalities' ? null : randomId(),
});

/**
 * From 1 to 2^47 − 1: six bytes. A sequence would give ids again after the database was restored to an earlier state, which callers
 * still hold, and in another cell.
 */
function randomId(): number {
  const [bits = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return Number(bits >> UNUSED_BITS) || 1;
}
const UNUSED_BITS = 17n;

/** D1 takes 2 MB a parameter, in UTF-8; a version alone may be longer than this. */
const CHUNK_LENGTH = 500_000;

/** A query for lists of lines, none too long. */
function inChunks(made: Query<unknown>, lines: readonly unknown[]): Query<unknown>[] {
  const chunks: string[][] = [];
  let length = CHUNK_LENGTH;
  for (const line of lines) {
    const text = JSON.stringify(line);
    if (length + text.length > CHUNK_LENGTH) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(text);
    length += text.length;
  }
  return chunks.map((chunk) => withValues(made, { lines: `[${chunk.join(',')}]` }));
}

/** Whether the database refused a write because of a concurrent one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('SQLITE_CONSTRAINT');
