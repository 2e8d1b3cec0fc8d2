import { eq, getTableColumns, inArray, or, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { DAY_MS, type Instant } from '../../domain/instant.ts';
import { columnsOf } from '../../storage/configuration/declare.ts';
import {
  KINDS,
  type KindName,
  TENANT,
  type WholeMunicipality,
  type WholeTenant,
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
import { namedIn } from '../../storage/db/sql.ts';
import { type Item, isChanged, type Merged } from './changes.ts';

/** A tenant, with its id. */
export interface StoredTenant {
  readonly id: number;
  readonly whole: WholeTenant;
}

/** A municipality, with what its row and its versions say. */
export interface StoredMunicipality {
  readonly id: number;
  readonly whole: WholeMunicipality;
  readonly isRestoring: boolean;
  /** The instant of its newest version. */
  readonly version: Instant;
  /** How many of its versions are of this UTC day. */
  readonly changesToday: number;
}

/** By code. */
export interface StoredConfiguration {
  readonly tenants: ReadonlyMap<string, StoredTenant>;
  readonly municipalities: ReadonlyMap<string, StoredMunicipality>;
}

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
      id: municipalities.id,
      code: municipalities.code,
      restoring: municipalities.restoring,
      tenant: named(tenants.code, 'tenant'),
      version: version.recordedAt,
      record: version.record,
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
): Promise<StoredConfiguration> {
  const [tenantRows, rows] = await read(d1, [TENANTS, MUNICIPALITIES], {
    tenants: JSON.stringify(asked.tenants),
    municipalities: JSON.stringify(asked.municipalities),
    today: now - (now % DAY_MS),
  });
  const stored = rows.map(({ id, code, restoring, tenant, version, record, changesToday }) => {
    // A restored municipality may have another tenant than the one of its backup.
    const whole = { ...configurationOf(record), tenant };
    return [code, { id, whole, isRestoring: restoring !== null, version, changesToday }] as const;
  });
  return {
    tenants: new Map(tenantRows.map(({ id, ...row }) => [row.code, { id, whole: TENANT.whole.parse(row) }])),
    municipalities: new Map(stored),
  };
}

const TABLES: Readonly<Record<KindName, SQLiteTable>> = {
  tenants,
  municipalities,
  areas,
  sources,
  subscription_types: subscriptionTypes,
  plans,
};

const fromLine = (property: string): SQL => sql.raw(`line.value ->> '$.${property}'`);

/** The id of a plan's type, by its code. */
const TYPE_ID = sql`(
  select ${subscriptionTypes.id} from ${subscriptionTypes}
  where ${subscriptionTypes.municipalityId} = ${fromLine('municipalityId')}
    and ${subscriptionTypes.code} = ${fromLine('subscriptionTypeId')})`;

/** Columns that are not the configuration's. */
const OTHER_COLUMNS: Readonly<Record<string, SQL>> = {
  restoring: sql.raw('null'),
  pastSince: sql.raw('0'),
  restoredAt: sql.raw('0'),
};

const KEYS = ['id', 'municipalityId', 'code'];

/** Inserts rows, and updates those that are there. Value: `lines`, each a row by the names of its columns. */
const upsertInto = (table: SQLiteTable): Query<unknown> =>
  query(() => {
    const columns = Object.entries<SQLiteColumn>(getTableColumns(table) as Record<string, SQLiteColumn>);
    const values = columns.map(([name]) =>
      name === 'subscriptionTypeId' ? TYPE_ID : (OTHER_COLUMNS[name] ?? fromLine(name)),
    );
    const isKeyOf = (name: string) => KEYS.includes(name) && name !== 'id';
    return (
      db
        .insert(table)
        // `where true`, or SQLite takes `on` for that of a join.
        .select(
          sql`select ${sql.join(values, sql`, `)} from json_each(${sql.placeholder('lines')}) as line where true`,
        )
        .onConflictDoUpdate({
          target: columns.filter(([name]) => isKeyOf(name)).map(([, column]) => column),
          set: Object.fromEntries(
            columns
              .filter(([name]) => !KEYS.includes(name) && !(name in OTHER_COLUMNS))
              .map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
          ),
        })
    );
  });

const UPSERTS = Object.entries(TABLES).map(([kind, table]) => [kind as KindName, upsertInto(table)] as const);

/**
 * Records a change of each municipality. Fails where another document has changed one since it was read: the column is not nullable.
 */
const RECORD_CHANGES = query(() =>
  db.insert(changes).select(sql`
    select ${fromLine('id')},
      iif(
        (select max(${version.recordedAt}) from ${version} where ${version.municipalityId} = ${fromLine('id')}) is ${fromLine('version')},
        max(${sql.placeholder('now')}, coalesce((select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${fromLine('id')}), 0) + 1),
        null
      ),
      ${sql.placeholder('requestId')}
    from json_each(${sql.placeholder('lines')}) as line`),
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
    select ${fromLine('id')},
      (select max(${changes.recordedAt}) from ${changes} where ${changes.municipalityId} = ${fromLine('id')}),
      ${sql.raw("line.value -> '$.record'")}
    from json_each(${sql.placeholder('lines')}) as line`),
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
  const tenantId = idsOf(stored.tenants);
  const municipalityId = idsOf(stored.municipalities);
  const lineOf = ({ kind, municipality, after }: Merged): Item => {
    const row = columnsOf(KINDS[kind].declarations, after);
    if (kind === 'tenants') return { ...row, id: tenantId(String(row.code)) };
    const id = municipalityId(String(municipality));
    return kind === 'municipalities'
      ? { ...row, id, tenantId: tenantId(String(row.tenantId)) }
      : { ...row, id: randomId(), municipalityId: id };
  };
  const versions = whole.map((record) => ({
    id: municipalityId(record.code),
    version: stored.municipalities.get(record.code)?.version ?? null,
    record,
  }));
  const changed = Map.groupBy(items.filter(isChanged), ({ kind }) => kind);
  const upserts = UPSERTS.flatMap(([kind, upsert]) =>
    chunksOf((changed.get(kind) ?? []).map(lineOf)).map((lines) => withValues(upsert, { lines })),
  );
  const tenantsBefore = (changed.get('tenants') ?? []).map(({ before, after }) => ({
    code: after.code,
    ...before,
  }));
  const checks = chunksOf(tenantsBefore).map((lines) => withValues(CHECK_TENANTS, { lines }));
  const recorded = chunksOf(versions.map(({ id, version }) => ({ id, version }))).map((lines) =>
    withValues(RECORD_CHANGES, { lines }),
  );
  const versionsOf = chunksOf(versions).map((lines) => withValues(STORE_VERSIONS, { lines }));
  await batch(d1, [...checks, ...upserts, ...recorded, ...versionsOf], {
    now: by.now,
    requestId: bytesOfId(by.requestId),
  });
}

/** The ids by code, new ones included. An id counts only where its row is new. */
function idsOf(stored: ReadonlyMap<string, { readonly id: number }>): (code: string) => number {
  const ids = new Map([...stored].map(([code, { id }]) => [code, id]));
  return (code) => ids.getOrInsertComputed(code, randomId);
}

/**
 * From 1 to 2^53 − 1. A sequence would give ids again after the database was restored to an earlier state, which credentials' objects
 * and snapshots still hold, and in another cell.
 */
function randomId(): number {
  const [bits = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return Number(bits & BigInt(Number.MAX_SAFE_INTEGER)) || 1;
}

/** D1 takes 2 MB a parameter, in UTF-8; a version alone may be longer than this. */
const CHUNK_LENGTH = 500_000;

/** JSON lists of the lines, none too long. */
function chunksOf(lines: readonly unknown[]): string[] {
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
  return chunks.map((chunk) => `[${chunk.join(',')}]`);
}

/** Whether the database refused a write because of a concurrent one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('SQLITE_CONSTRAINT');
