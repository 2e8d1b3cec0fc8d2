import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { MISSING } from '../http/validation.ts';
import { isActiveTenant, readOwnMunicipalities } from './office-table.ts';

/**
 * What a call of the administration may see and change: everything, or one tenant's data. An operation asks it, and never
 * who is calling.
 */
export type Bounds = ReturnType<typeof boundsOf>;

/** @param own the office's tenant. Null: the administrator, who has no bounds */
export function boundsOf(db: D1Database, own: string | null) {
  /**
   * The tenant whose items are listed. Undefined: every tenant's.
   *
   * @throws Refusal `TENANT_NOT_ALLOWED`
   */
  const listedTenant = (named: string | undefined): string | undefined => {
    if (own === null) return named;
    return named === undefined || named === own ? own : refuse('TENANT_NOT_ALLOWED');
  };
  return {
    listedTenant,
    /**
     * The tenant that the call is about: the one it names, or the office's own.
     *
     * @throws Refusal `TENANT_NOT_ALLOWED`; `INVALID_REQUEST` where the administrator names none
     */
    tenantOf: (named: string | undefined): string =>
      listedTenant(named) ?? refuseFields([{ path: 'tenant', message: MISSING }]),
    /**
     * Checks that municipalities may be named. It answers alike for an unknown one and for another tenant's.
     *
     * @throws Refusal `MUNICIPALITY_NOT_ALLOWED`
     */
    requireMunicipalities: async (codes: readonly string[]): Promise<void> => {
      if (own === null || codes.length === 0) return;
      const known = await readOwnMunicipalities(db, own, codes);
      if (!codes.every((code) => known.has(code))) refuse('MUNICIPALITY_NOT_ALLOWED');
    },
    /** Whether this tenant's data may be seen and changed. */
    covers: (tenant: string | null): boolean => own === null || tenant === own,
    /** Whether what is the administrator's alone may be changed. */
    mayChangeAll: own === null,
  };
}

/** @throws Refusal `TENANT_DISABLED` */
export async function requireActiveTenant(db: D1Database, code: string): Promise<void> {
  if (!(await isActiveTenant(db, code))) refuse('TENANT_DISABLED');
}
