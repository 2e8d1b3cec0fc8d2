import { and, eq, inArray, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Credential } from '../access/credential-record.ts';
import { areas, municipalities, sources, subscriptionTypes, tenants } from '../db/schema/index.ts';
import type { SubscriptionCodes } from './subscription-line.ts';
import type { Municipality } from './target.ts';

/** The active municipalities of a credential, and whether its tenant is active. */
export async function readMunicipalities(
  db: D1Database,
  credential: Credential,
): Promise<{ tenantActive: boolean; active: Municipality[] }> {
  const orm = drizzle(db);
  const codes = sql`(select value from json_each(${JSON.stringify(credential.municipalities)}))`;
  const [tenantRows, active] = await orm.batch([
    orm.select({ active: tenants.active }).from(tenants).where(eq(tenants.id, credential.tenantId)),
    orm
      .select({ id: municipalities.id, code: municipalities.code })
      .from(municipalities)
      .where(
        and(
          inArray(municipalities.code, codes),
          eq(municipalities.tenantId, credential.tenantId),
          eq(municipalities.active, true),
        ),
      ),
  ]);
  return { tenantActive: tenantRows[0]?.active === true, active };
}

/** The id of an active source (null for none of this code), and the ids of all areas by code. */
export async function readSourceAndAreas(
  db: D1Database,
  municipality: Municipality,
  sourceCode: string,
): Promise<{ sourceId: number | null; areas: ReadonlyMap<string, number> }> {
  const orm = drizzle(db);
  const [found, areaRows] = await orm.batch([
    orm
      .select({ id: sources.id })
      .from(sources)
      .where(
        and(
          eq(sources.municipalityId, municipality.id),
          eq(sources.code, sourceCode),
          eq(sources.active, true),
        ),
      ),
    areasOf(db, municipality),
  ]);
  return { sourceId: found[0]?.id ?? null, areas: byCode(areaRows) };
}

/** What the codes of a subscription import's lines mean in the municipality. */
export async function readSubscriptionCodes(
  db: D1Database,
  municipality: Municipality,
): Promise<SubscriptionCodes> {
  const orm = drizzle(db);
  const [typeRows, areaRows] = await orm.batch([
    orm
      .select({ id: subscriptionTypes.id, code: subscriptionTypes.code })
      .from(subscriptionTypes)
      .where(eq(subscriptionTypes.municipalityId, municipality.id)),
    areasOf(db, municipality),
  ]);
  return { types: byCode(typeRows), areas: byCode(areaRows) };
}

function areasOf(db: D1Database, municipality: Municipality) {
  return drizzle(db)
    .select({ id: areas.id, code: areas.code })
    .from(areas)
    .where(eq(areas.municipalityId, municipality.id));
}

function byCode(rows: readonly { readonly id: number; readonly code: string }[]): Map<string, number> {
  return new Map(rows.map(({ id, code }) => [code, id]));
}
