import { asc, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';

/** A municipality of the tenant. */
interface HeldIn {
  readonly id: number;
  readonly code: string;
  readonly timeZone: string;
  /** Nobody can read it yet. */
  readonly isRestoring: boolean;
}

/** The tenant's municipalities, also those that are being restored, ordered by code. Null: there is no such tenant. */
async function readHolders(db: D1Database, tenant: string): Promise<HeldIn[] | null> {
  const rows = await drizzle(db)
    .select({
      tenantCode: tenants.code,
      id: municipalities.id,
      code: municipalities.code,
      timeZone: municipalities.timeZone,
      isRestoring: municipalities.restoring,
    })
    .from(tenants)
    .leftJoin(municipalities, eq(municipalities.tenantId, tenants.id))
    .where(eq(tenants.code, tenant))
    .orderBy(asc(municipalities.code));
  if (rows.length === 0) {
    return null;
  }
  return rows.flatMap(({ id, code, timeZone, isRestoring }) =>
    id === null || code === null || timeZone === null || isRestoring === null
      ? []
      : [{ id, code, timeZone, isRestoring }],
  );
}

/** A plate in all that a tenant has. */
export interface Holder {
  readonly plate: Plate;
  readonly tenant: string;
  readonly municipalities: readonly HeldIn[];
  /** Every digest that a call about the plate may have. */
  readonly digests: readonly string[];
  /** Those by the municipalities. That by the tenant's code may be of another tenant's municipality with this code. */
  readonly digestsOfMunicipalities: readonly string[];
}

const UNKNOWN_TENANT = { en: 'is not a known tenant', it: 'non è un ente conosciuto' };

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
  const municipalities = await readHolders(env.DB, tenant);
  if (municipalities === null) {
    refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  }
  const [ofTenant, ...ofMunicipalities] = await Promise.all([
    plateDigests(keys, tenant, plate),
    ...municipalities.map(({ code }) => plateDigests(keys, code, plate)),
  ]);
  const digestsOfMunicipalities = ofMunicipalities.flat();
  const digests = [...ofTenant, ...digestsOfMunicipalities];
  return { plate, tenant, municipalities, digests, digestsOfMunicipalities };
}
