import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import {
  AREA,
  type KindName,
  MUNICIPALITY,
  TENANT,
  type WholeMunicipality,
} from '../../storage/configuration/kinds.ts';
import { configurationOf } from '../../storage/configuration/versions-table.ts';
import { batch, db, jsonLists, named, type Query, query, read, withValues } from '../../storage/db/batch.ts';
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
import { type Item, isChanged, isSame, type Merged } from './changes.ts';

const TENANTS = query(() => db.select().from(tenants).where(namedIn(tenants.code, 'tenants')));

const version = configurationVersions;
const other = alias(configurationVersions, 'other');
/** A subquery, so that each municipality's newest version is found by the key. */
const NEWEST = sql`(select max(${other.recordedAt}) from ${configurationVersions} as ${other} where ${other.municipalityId} = ${municipalities.id})`;

const MUNICIPALITIES = query(() =>
  db
    .select({
      code: municipalities.code,
      restoring: municipalities.restoring,
      tenant: {
        code: named(tenants.code, 'tenant_code'),
        name: named(tenants.name, 'tenant_name'),
        active: named(tenants.active, 'tenant_active'),
      },
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
    // One whose restore was cut off at its begin has none yet.
    .leftJoin(
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
    const whole = record === null ? undefined : { ...configurationOf(record), tenant: tenant.code };
    const isRestoring = restoring !== null;
    return [code, { tenant: tenant.code, whole, isRestoring, version, changesToday }] as const;
  });
  const owners = [...tenantRows, ...rows.map(({ tenant }) => tenant)];
  return {
    tenants: new Map(owners.map((row) => [row.code, TENANT.whole.parse(row)])),
    municipalities: new Map(stored),
  };
}

/** Tenants and municipalities, by code. */
export type StoredConfiguration = Awaited<ReturnType<typeof readConfiguration>>;

/** A property of the item that a row is made of. */
const at = (path: string): SQL => sql.raw(`item.value ->> '$.${path}'`);

/** The properties of a group, by their columns. */
const groupOf = (name: string, properties: object, suffix = ''): Record<string, SQL> =>
  Object.fromEntries(
    Object.keys(properties).map((property) => [`${property}${suffix}`, at(`${name}.${property}`)]),
  );

const hasOperation = (operation: string): SQL =>
  sql`instr(${at('operations')}, ${sql.raw(`'"${operation}"'`)}) > 0`;

const MUNICIPALITY_ID = sql`(
  select ${municipalities.id} from ${municipalities} where ${municipalities.code} = ${at('municipality')})`;

/**
 * From 1 to 2^47 − 1: six bytes. A sequence would give ids again after the database was restored to an earlier state, which callers
 * still hold, and in another cell.
 */
const RANDOM_ID = sql.raw('abs(random() % 140737488355327) + 1');
/** The database counts the municipalities: theirs stand in every row and index. */
const NEXT_ID = sql.raw('null');

/** They never change. */
const KEY = ['municipality_id', 'code'];
/** Columns that are not the configuration's. */
const OTHERS = ['restoring', 'past_since', 'restored_at'];

/** The columns of a kind whose value is not the item's property of their name. */
type Values = Readonly<Record<string, SQL>>;

const ITEMS = sql`json_each(${sql.placeholder('items')}) as item`;

/** Inserts the rows of items, and updates those that are there. Value: `items`, a JSON list, each with its municipality's code. */
const upsert = (table: SQLiteTable, values: Values = {}, from = ITEMS) =>
  query(() => {
    const columns = Object.values(getTableColumns(table)).filter(({ name }) => !OTHERS.includes(name));
    const key = columns.filter(({ name }) => KEY.includes(name));
    const changing = columns.filter(({ name }) => name !== 'id' && !KEY.includes(name));
    const all: Values = { id: RANDOM_ID, municipality_id: MUNICIPALITY_ID, ...values };
    // `where true`, or SQLite takes `on` for that of a join.
    return db.run(sql`
      insert into ${table} (${list(columns.map(bare))})
      select ${list(columns.map(({ name }) => all[name] ?? at(name)))} from ${from} where true
      on conflict (${list(key.map(bare))})
      do update set ${list(changing.map((column) => sql`${bare(column)} = excluded.${bare(column)}`))}`);
  });

/** In the order in which items refer to each other. */
const UPSERTS: Readonly<Record<KindName, Query<unknown>>> = {
  // A tenant keeps the properties that its item lacks.
  tenants: upsert(
    tenants,
    {
      name: sql`coalesce(${at('name')}, ${tenants.name})`,
      active: sql`coalesce(${at('active')}, ${tenants.active})`,
    },
    sql`${ITEMS} left join ${tenants} on ${tenants.code} = ${at('code')}`,
  ),
  municipalities: upsert(municipalities, {
    id: NEXT_ID,
    tenant_id: sql`(select ${tenants.id} from ${tenants} where ${tenants.code} = ${at('tenant')})`,
    time_zone: at('timezone'),
    ...groupOf('services', MUNICIPALITY.whole.shape.services.unwrap().shape, '_enabled'),
  }),
  areas: upsert(areas, {
    ...groupOf('facility', AREA.whole.shape.facility.unwrap().shape),
    closed_until: sql`cast(round(unixepoch(${at('closed_until')}, 'subsec') * 1000) as integer)`,
  }),
  sources: upsert(sources),
  subscription_types: upsert(subscriptionTypes),
  plans: upsert(plans, {
    subscription_type_id: sql`(
      select ${subscriptionTypes.id} from ${subscriptionTypes}
      where ${subscriptionTypes.municipalityId} = ${MUNICIPALITY_ID} and ${subscriptionTypes.code} = ${at('subscription_type')})`,
    code: at('codice_tariffa'),
    amount_cents: at('importo_eurocent'),
    description: at('descrizione'),
    for_first_activation: hasOperation('first_activation'),
    for_renewal: hasOperation('renewal'),
  }),
};

const STORED = sql`${ITEMS} cross join ${municipalities} on ${municipalities.code} = ${at('code')}`;
const NEWEST_CHANGE = sql`(select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${municipalities.id})`;

/** Fails where another document or a restore has changed a municipality since it was read: the column is not nullable. */
const RECORD_CHANGES = query(() =>
  db.insert(changes).select(sql`
    select ${municipalities.id},
      iif(${NEWEST} is ${at('version')} and ${municipalities.restoring} is null, max(${sql.placeholder('now')}, coalesce(${NEWEST_CHANGE}, 0) + 1), null),
      ${sql.placeholder('requestId')}
    from ${STORED}`),
);

const STORE_VERSIONS = query(() =>
  db
    .insert(configurationVersions)
    .select(sql`select ${municipalities.id}, ${NEWEST_CHANGE}, item.value from ${STORED}`),
);

/**
 * Writes what a document changes, and a version of each changed municipality, in one transaction.
 *
 * @param changed the municipalities that change, whole
 * @throws an error for which {@link isConflict} is true where another document was stored since the configuration was read
 */
export async function writeConfiguration(
  d1: D1Database,
  stored: StoredConfiguration,
  items: readonly Merged[],
  changed: readonly WholeMunicipality[],
  by: { readonly requestId: string; readonly now: Instant },
): Promise<void> {
  const listed = (made: Query<unknown>, of: readonly object[]) =>
    jsonLists(of).map((lines) => withValues(made, { items: lines }));
  const upserts = Object.entries(UPSERTS).flatMap(([kind, made]) =>
    listed(made, items.filter((item) => item.kind === kind && isChanged(item)).map(storedOf)),
  );
  const versions = changed.map(({ code }) => ({ code, version: stored.municipalities.get(code)?.version }));
  await batch(d1, [...upserts, ...listed(RECORD_CHANGES, versions), ...listed(STORE_VERSIONS, changed)], {
    ...{ now: by.now, requestId: bytesOfId(by.requestId) },
  });
}

/** Of a tenant only what changes: another document may change other properties at the same time. */
function storedOf({ kind, municipality, before, after }: Merged): Item {
  if (kind !== 'tenants') return { ...after, municipality };
  const changing = Object.entries(after).filter(([name, value]) => !isSame(before?.[name], value));
  return { ...Object.fromEntries(changing), code: after.code };
}

/** Whether the database refused a write because of a concurrent one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('SQLITE_CONSTRAINT');
