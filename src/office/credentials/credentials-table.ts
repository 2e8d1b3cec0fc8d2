import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Credential } from '../../serving/access/credential-record.ts';
import { OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { batch, db, query, read } from '../../storage/db/batch.ts';
import { areas, credentials, municipalities, sources, tenants } from '../../storage/db/schema/index.ts';
import { namedIn } from '../../storage/db/sql.ts';
import type { ListQuery } from './contract.ts';
import { type ListedCredential, listed } from './present.ts';

/** The municipalities of these codes that are the tenant's. */
const OWN = and(
  eq(tenants.code, sql.placeholder('tenant')),
  namedIn(municipalities.code, 'municipalities'),
  isNull(municipalities.restoring),
);

const TENANT = query(() =>
  db
    .select({ id: tenants.id })
    .from(tenants)
    .where(eq(tenants.code, sql.placeholder('tenant'))),
);

const OWN_MUNICIPALITIES = query(() =>
  db.select({ code: municipalities.code }).from(municipalities).innerJoin(tenants, OF_TENANT).where(OWN),
);

/** What has one of the codes of the placeholder `name` in one of those municipalities. */
const ownOf = (table: typeof sources | typeof areas, name: string) =>
  query(() =>
    db
      .select({ code: table.code })
      .from(municipalities)
      .innerJoin(tenants, OF_TENANT)
      .innerJoin(table, eq(table.municipalityId, municipalities.id))
      .where(and(OWN, namedIn(table.code, name))),
  );

/**
 * What of a credential's references exists, active or not: its `tenant`, those of the `municipalities` that are the tenant's, and the
 * `sources` and `areas` in one of them. Lists are JSON.
 */
export const REFERENCES = [
  TENANT,
  OWN_MUNICIPALITIES,
  ownOf(sources, 'sources'),
  ownOf(areas, 'areas'),
] as const;

const UPSERT = query(() =>
  db
    .insert(credentials)
    .values({
      id: sql`${sql.placeholder('id')}`,
      tenant: sql`${sql.placeholder('tenant')}`,
      createdAt: sql`${sql.placeholder('createdAt')}`,
      version: sql`${sql.placeholder('version')}`,
      record: sql`${sql.placeholder('record')}`,
    })
    .onConflictDoUpdate({
      target: credentials.id,
      set: { version: sql`excluded.version`, record: sql`excluded.record` },
      setWhere: sql`excluded.version >= ${credentials.version}`,
    }),
);

/**
 * Writes what the credential's object holds to its row. A row of a newer version is left alone, so that a delayed write changes
 * nothing.
 */
export async function writeCredentialRow(d1: D1Database, credential: Credential): Promise<void> {
  const { credentialId: id, tenantCode: tenant, createdAt, version } = credential;
  const record = JSON.stringify(listed(credential));
  await batch(d1, [UPSERT], { id, tenant, createdAt, version, record });
}

/** The tenant of the credential `after`. */
const PREVIOUS = query(() =>
  db
    .select({ tenant: credentials.tenant })
    .from(credentials)
    .where(eq(credentials.id, sql.placeholder('after'))),
);

/** Reads a page of the credentials that match a query, oldest first, whether more follow, and the tenant of the one before it. */
export async function listCredentials(
  d1: D1Database,
  { tenant, municipality_code, limit, after }: ListQuery,
): Promise<{ page: ListedCredential[]; hasMore: boolean; previous: string | undefined }> {
  const page = query(() =>
    db
      .select({ record: credentials.record })
      .from(credentials)
      .where(
        and(
          // Credentials issued in the same millisecond are ordered by their ids. Without `after` the aggregates still give a row.
          sql`(${credentials.createdAt}, ${credentials.id}) > (
            select coalesce(max(previous.created_at), 0), coalesce(max(previous.id), '')
            from ${credentials} as previous where previous.id = ${after ?? null})`,
          tenant === undefined ? undefined : eq(credentials.tenant, tenant),
          municipality_code === undefined
            ? undefined
            : sql`${municipality_code} in (select value from json_each(${credentials.record}, '$.municipalities'))`,
        ),
      )
      .orderBy(asc(credentials.createdAt), asc(credentials.id))
      .limit(limit + 1),
  );
  const [[previous], rows] = await read(d1, [PREVIOUS, page], { after: after ?? null });
  // As this service wrote them.
  const records = rows.map(({ record }) => record as ListedCredential);
  return { page: records.slice(0, limit), hasMore: rows.length > limit, previous: previous?.tenant };
}
