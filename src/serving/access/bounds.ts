import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import { MISSING } from '../http/validation.ts';
import type { MayChange } from './changer.ts';
import type { Grant } from './grant.ts';
import { isActiveTenant, readOwnMunicipalities } from './office-table.ts';

/**
 * What a call of the administration may see and change: everything, or one tenant's data. An operation asks it, and never
 * who is calling.
 */
export interface Bounds {
  /**
   * The tenant that the call is about: the one it names, or the office's own.
   *
   * @throws Refusal `TENANT_NOT_ALLOWED`; `INVALID_REQUEST` where the administrator names none
   */
  tenantOf(named: string | undefined): string;
  /**
   * The tenant whose items are listed. Undefined: every tenant's.
   *
   * @throws Refusal `TENANT_NOT_ALLOWED`
   */
  listedTenant(named: string | undefined): string | undefined;
  /**
   * Checks that municipalities may be named. It answers alike for an unknown one and for another tenant's.
   *
   * @throws Refusal `MUNICIPALITY_NOT_ALLOWED`
   */
  requireMunicipalities(codes: readonly string[]): Promise<void>;
  /** Whether this tenant's data may be seen and changed. */
  covers(tenant: string | null): boolean;
  readonly mayChange: MayChange;
}

/** The administrator's: none. */
export const UNBOUNDED: Bounds = {
  tenantOf: (named) => named ?? refuseFields([{ path: 'tenant', message: MISSING }]),
  listedTenant: (named) => named,
  requireMunicipalities: async () => {},
  covers: () => true,
  mayChange: () => true,
};

/** @throws Refusal `TENANT_DISABLED` */
export async function requireActiveTenant(db: D1Database, code: string): Promise<void> {
  if (!(await isActiveTenant(db, code))) refuse('TENANT_DISABLED');
}

/**
 * The bounds of an office's admitted call: its tenant.
 *
 * @throws Refusal `TENANT_DISABLED`
 */
export async function officeBounds({ DB }: Pick<Env, 'DB'>, { tenantCode }: Grant): Promise<Bounds> {
  await requireActiveTenant(DB, tenantCode);
  const requireOwn = (named: string | undefined): string =>
    named === undefined || named === tenantCode ? tenantCode : refuse('TENANT_NOT_ALLOWED');
  return {
    tenantOf: requireOwn,
    listedTenant: requireOwn,
    requireMunicipalities: async (codes) => {
      if (codes.length === 0) return;
      const own = await readOwnMunicipalities(DB, tenantCode, codes);
      if (!codes.every((code) => own.has(code))) refuse('MUNICIPALITY_NOT_ALLOWED');
    },
    covers: (tenant) => tenant === tenantCode,
    mayChange: (changer) => changer === 'office',
  };
}
