import type { Context } from 'hono';
import { refuse } from '../../base/errors/refusal.ts';
import type { Grant } from '../access/grant.ts';
import { readTwoOfTenant } from '../access/office-table.ts';
import type { AppEnv } from '../call.ts';

/** What every reader of a municipality reads, so that the grant can be judged. */
export interface FoundMunicipality {
  readonly code: string;
  /** Compared by its code: a restored database may have given its number away. */
  readonly tenantCode: string;
  readonly active: boolean;
  readonly tenantActive: boolean;
}

/**
 * Starts to read the facts of a call's municipality while its admission is being decided, which saves a round trip. Only a
 * call that names its municipality reads early. What is read before the grant is only read.
 *
 * @param named the code that the call names, if any
 * @param read returns null for an unknown code
 */
export function factsBesideGrant<Facts extends FoundMunicipality>(
  c: Context<AppEnv>,
  named: string | undefined,
  read: (code: string) => Promise<Facts | null>,
) {
  const early = named !== undefined && c.get('admission').mayReadEarly ? read(named) : null;
  // If the call is refused, the read is not awaited: its error is dropped.
  early?.catch(() => {});
  return {
    /**
     * The facts of the call's municipality, within the grant. What was read early of any other is thrown away.
     *
     * @throws Refusal `MUNICIPALITY_REQUIRED`, `MUNICIPALITY_NOT_ALLOWED`, `TENANT_DISABLED`
     */
    within: async (grant: Grant): Promise<Facts> => {
      const code = await grantedCode(c.env.DB, grant, named);
      const facts = requireGranted(await (early ?? read(code)), grant);
      c.get('log').municipalityCode = facts.code;
      return facts;
    },
  };
}

/**
 * The code of the municipality that a call is about. An office may name any of its tenant's: whether it is one, its facts say.
 *
 * @throws Refusal `MUNICIPALITY_NOT_ALLOWED`; `MUNICIPALITY_REQUIRED` where none is named and there is a choice
 */
export async function grantedCode(db: D1Database, grant: Grant, named: string | undefined): Promise<string> {
  if (named !== undefined) {
    return grant.municipalities === null || grant.municipalities.includes(named)
      ? named
      : refuse('MUNICIPALITY_NOT_ALLOWED');
  }
  const [only, another] = grant.municipalities ?? (await readTwoOfTenant(db, grant.tenantCode));
  if (another !== undefined) refuse('MUNICIPALITY_REQUIRED');
  return only ?? refuse('MUNICIPALITY_NOT_ALLOWED');
}

/** One answer for an unknown, an inactive and another tenant's municipality. */
export function requireGranted<Facts extends FoundMunicipality>(
  facts: Facts | null,
  { tenantCode }: Grant,
): Facts {
  if (facts === null || facts.tenantCode !== tenantCode) refuse('MUNICIPALITY_NOT_ALLOWED');
  if (!facts.tenantActive) refuse('TENANT_DISABLED');
  return facts.active ? facts : refuse('MUNICIPALITY_NOT_ALLOWED');
}
