import { and, asc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { pick } from '../../base/platform/pick.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import type { Credential } from '../../serving/access/credential-record.ts';
import { SCOPES, type Scope } from '../../serving/access/scopes.ts';
import { batch, db, named, query, read } from '../../storage/db/batch.ts';
import {
  areas,
  credentialMunicipalities,
  credentials,
  municipalities,
  sources,
  tenants,
} from '../../storage/db/schema/index.ts';
import { namedIn } from '../../storage/db/sql.ts';
import type { ListQuery } from './contract.ts';
import type { ListedCredential } from './present.ts';

const OF_TENANT = eq(tenants.id, municipalities.tenantId);

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

const OWN_SOURCES = query(() =>
  db
    .select({ code: sources.code })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .innerJoin(sources, eq(sources.municipalityId, municipalities.id))
    .where(and(OWN, eq(sources.code, sql.placeholder('sourceCode'))))
    .limit(1),
);

const OWN_AREAS = query(() =>
  db
    .select({ code: areas.code })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .innerJoin(areas, eq(areas.municipalityId, municipalities.id))
    .where(and(OWN, namedIn(areas.code, 'areas'))),
);

/** The codes by which a credential refers to the configuration. */
export interface References {
  readonly tenant: string;
  readonly municipalities: readonly string[];
  readonly sourceCode: string | null;
  /** Of its one municipality. Empty: it is not bound to areas. */
  readonly areas: readonly string[];
}

/** What of them exists, active or not: codes. */
export interface ReferenceFacts {
  readonly hasTenant: boolean;
  /** Those of the tenant. */
  readonly municipalities: readonly string[];
  /** Whether one of them has the source. */
  readonly hasSource: boolean;
  readonly areas: readonly string[];
}

/** Reads which tenant, municipalities, source and areas of a credential exist. */
export async function readReferences(d1: D1Database, references: References): Promise<ReferenceFacts> {
  const [tenant, own, found, bound] = await read(d1, [TENANT, OWN_MUNICIPALITIES, OWN_SOURCES, OWN_AREAS], {
    ...references,
    municipalities: JSON.stringify(references.municipalities),
    areas: JSON.stringify(references.areas),
  });
  return {
    hasTenant: tenant.length > 0,
    municipalities: own.map(({ code }) => code),
    hasSource: found.length > 0,
    areas: bound.map(({ code }) => code),
  };
}

const link = credentialMunicipalities;

/**
 * Writes what the credential's object holds to its row and its municipalities, in one transaction. A row of a newer version is left
 * alone, so that a delayed write changes nothing. The tenant is found by its code: a restored database may have given it another id.
 */
export async function writeCredentialRow(d1: D1Database, credential: Credential): Promise<void> {
  const { credentialId: id, tenantCode, version } = credential;
  const isStored = sql`exists (
    select 1 from ${credentials} where ${credentials.id} = ${id} and ${credentials.version} = ${version})`;
  await batch(
    d1,
    [
      query(() =>
        db
          .insert(credentials)
          .values(rowOf(credential))
          .onConflictDoUpdate({
            target: credentials.id,
            set: EXCLUDED,
            setWhere: sql`excluded.version >= ${credentials.version}`,
          }),
      ),
      query(() => db.delete(link).where(and(eq(link.credentialId, id), isStored))),
      query(() =>
        db.insert(link).select(sql`
          select ${id}, ${municipalities.id}
          from ${municipalities} join ${tenants} on ${OF_TENANT}
          where ${tenants.code} = ${tenantCode} and ${namedIn(municipalities.code, 'municipalities')} and ${isStored}`),
      ),
    ],
    { municipalities: JSON.stringify(credential.municipalities) },
  );
}

const EXCLUDED = Object.fromEntries(
  Object.entries(getTableColumns(credentials)).map(([column, { name }]) => [
    column,
    sql`excluded.${sql.identifier(name)}`,
  ]),
);

const rowOf = ({ credentialId, tenantCode, rate, previous, ...credential }: Credential) => ({
  ...pick(credential, 'name', 'scopes', 'ipAllowlist', 'expiresAt', 'historicalDaysAllowed', 'sourceCode'),
  ...pick(credential, 'areas', 'version', 'createdAt', 'revokedAt', 'location'),
  id: credentialId,
  tenantId: sql`(select ${tenants.id} from ${tenants} where ${tenants.code} = ${tenantCode})`,
  rateLimit: rate.limit,
  rateWindowSeconds: rate.windowSeconds,
  overlapEndsAt: previous[0]?.passesUntil ?? null,
});

/** A credential of this id, and its position in the lists. */
export async function readListed(
  d1: D1Database,
  credentialId: string,
): Promise<{ readonly tenantCode: string; readonly createdAt: Instant; readonly id: string } | null> {
  const [[row]] = await read(d1, [POSITION], { id: credentialId });
  return row ?? null;
}

const POSITION = query(() =>
  db
    .select({
      id: credentials.id,
      createdAt: credentials.createdAt,
      tenantCode: named(tenants.code, 'tenant_code'),
    })
    .from(credentials)
    .innerJoin(tenants, eq(tenants.id, credentials.tenantId))
    .where(eq(credentials.id, sql.placeholder('id'))),
);

/** The position before the first credential. */
export const FIRST = { createdAt: instant(0), id: '' };

/** Reads a page of the credentials that match a query, oldest first, and whether more follow. */
export async function listCredentials(
  d1: D1Database,
  { tenant, municipality_code, limit }: Omit<ListQuery, 'after'>,
  after: typeof FIRST,
): Promise<{ page: ListedCredential[]; hasMore: boolean }> {
  // Credentials issued in the same millisecond are ordered by their ids.
  const isListed = and(
    sql`(${credentials.createdAt}, ${credentials.id}) > (${after.createdAt}, ${after.id})`,
    tenant === undefined ? undefined : eq(tenants.code, tenant),
    municipality_code === undefined ? undefined : isFor(municipality_code),
  );
  const ofPage = db
    .select({ id: credentials.id })
    .from(credentials)
    .innerJoin(tenants, eq(tenants.id, credentials.tenantId))
    .where(isListed)
    .orderBy(asc(credentials.createdAt), asc(credentials.id))
    .limit(limit + 1);
  const [rows, links] = await read(
    d1,
    [
      query(() =>
        db
          .select({ ...getTableColumns(credentials), tenantCode: named(tenants.code, 'tenant_code') })
          .from(credentials)
          .innerJoin(tenants, eq(tenants.id, credentials.tenantId))
          .where(isListed)
          .orderBy(asc(credentials.createdAt), asc(credentials.id))
          .limit(limit + 1),
      ),
      query(() =>
        db
          .select({ id: link.credentialId, code: municipalities.code })
          .from(link)
          .innerJoin(municipalities, eq(municipalities.id, link.municipalityId))
          .where(inArray(link.credentialId, ofPage))
          .orderBy(asc(municipalities.code)),
      ),
    ],
    {},
  );
  const codesOf = Map.groupBy(links, ({ id }) => id);
  const page = rows.slice(0, limit).map((row) => {
    const { id, rateLimit, rateWindowSeconds, version: _, tenantId: __, ...listed } = row;
    return {
      ...listed,
      credentialId: id,
      municipalities: (codesOf.get(id) ?? []).map(({ code }) => code),
      scopes: listed.scopes.filter(isScope),
      rate: { limit: rateLimit, windowSeconds: rateWindowSeconds },
    };
  });
  return { page, hasMore: rows.length > limit };
}

const isScope = (text: string): text is Scope => SCOPES.some((scope) => scope === text);

/** Searches from the municipality: a city has few credentials, the service has many. */
const isFor = (municipalityCode: string): SQL =>
  sql`${credentials.id} in (
    select ${link.credentialId} from ${municipalities}
    cross join ${link} on ${link.municipalityId} = ${municipalities.id}
    where ${municipalities.code} = ${municipalityCode})`;
