import { eq, sql } from 'drizzle-orm';
import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { normalizePlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { UNKNOWN_TENANT } from '../../serving/administration/fields.ts';
import { db, query, read } from '../../storage/db/batch.ts';
import { municipalities, tenants } from '../../storage/db/schema/index.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';

/** The municipalities of the `tenant`, also those that are being restored. One row of nulls: it has none. */
const MUNICIPALITIES = query(() =>
  db
    .select({ id: municipalities.id, code: municipalities.code })
    .from(tenants)
    .leftJoin(municipalities, eq(municipalities.tenantId, tenants.id))
    .where(eq(tenants.code, sql.placeholder('tenant'))),
);

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
) {
  const tenant = bounds.tenantOf(named);
  const plate = normalizePlate(raw) ?? refuse('INVALID_PLATE');
  const keys = requireDigestKeys(env);
  const [rows] = await read(env.DB, [MUNICIPALITIES], { tenant });
  if (rows.length === 0) refuseFields([{ path: 'tenant', message: UNKNOWN_TENANT }]);
  const held = rows.flatMap(({ id, code }) =>
    id === null || code === null ? [] : [{ id, digests: plateDigests(keys, code, plate) }],
  );
  return {
    plate,
    tenant,
    /** Each with the digests of the plate in it. */
    municipalities: held,
    /**
     * Every digest that a call about the plate may have. The one by the tenant's code also matches calls of another tenant, if that
     * tenant has a municipality with this code.
     */
    digests: [...plateDigests(keys, tenant, plate), ...held.flatMap(({ digests }) => digests)],
  };
}

/** A plate in all that a tenant has. */
export type Holder = Awaited<ReturnType<typeof findHolder>>;
