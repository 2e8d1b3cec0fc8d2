import { asc, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { UNKNOWN_TENANT } from '../../serving/administration/fields.ts';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';

/** A municipality of the tenant. */
interface HeldIn {
  readonly id: number;
  readonly code: string;
  readonly timeZone: string;
  /** Nobody can read it yet. */
  readonly isRestoring: boolean;
  /** The digests of the plate in it. */
  readonly digests: readonly string[];
}

/** The tenant's municipalities, also those that are being restored, ordered by code. Null: there is no such tenant. */
async function readMunicipalities(db: D1Database, tenant: string) {
  const rows = await drizzle(db)
    .select({ tenantId: tenants.id, municipality: municipalities })
    .from(tenants)
    .leftJoin(municipalities, eq(municipalities.tenantId, tenants.id))
    .where(eq(tenants.code, tenant))
    .orderBy(asc(municipalities.code));
  return rows.length === 0
    ? null
    : rows.flatMap(({ municipality }) => (municipality === null ? [] : [municipality]));
}

/** A plate in all that a tenant has. */
export interface Holder {
  readonly plate: Plate;
  readonly tenant: string;
  readonly municipalities: readonly HeldIn[];
  /**
   * Every digest that a call about the plate may have. The one by the tenant's code also matches calls of another tenant, if that
   * tenant has a municipality with this code.
   */
  readonly digests: readonly string[];
}

/**
 * Finds where a tenant may hold a plate: one round trip.
 *
 * @throws Refusal `TENANT_NOT_ALLOWED`, `INVALID_PLATE`, or `INVALID_REQUEST` for a tenant that is missing or unknown
 * @throws Error without a usable `DIGEST_KEY`
 */
export async function findHolder(
  env: Env,
  bounds: Bounds,
  { tenant: named, plate: raw }: { readonly tenant?: string | undefined; readonly plate: string },
): Promise<Holder> {
  const tenant = bounds.tenantOf(named);
  const plate = normalizePlate(raw);
  if (plate === null) {
    refuse('INVALID_PLATE');
  }
  const keys = requireDigestKeys(env);
  const found = await readMunicipalities(env.DB, tenant);
  if (found === null) {
    refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  }
  const ofTenant = await plateDigests(keys, tenant, plate);
  const held = await Promise.all(
    found.map(async ({ id, code, timeZone, restoring }) => ({
      ...{ id, code, timeZone, isRestoring: restoring !== null },
      digests: await plateDigests(keys, code, plate),
    })),
  );
  const digests = [...ofTenant, ...held.flatMap((municipality) => municipality.digests)];
  return { plate, tenant, municipalities: held, digests };
}
