import type { Credential } from '../access/credential-record.ts';
import type { ErrorCode } from '../http/error-codes.ts';

/** What was found where a call's municipality was looked for. */
export interface MunicipalityFinding<Municipality> {
  readonly tenantActive: boolean;
  /** The active ones among those asked for: two stand for "more than one". */
  readonly municipalities: readonly Municipality[];
}

/**
 * The codes to look for: the one that a call names, or all that its credential may name. A code that it may not name
 * is asked as none: the tenant's own state is still to be judged first.
 */
export function municipalitiesAsked(
  code: string | undefined,
  { municipalities }: Credential,
): readonly string[] {
  if (code === undefined) {
    return municipalities;
  }
  return municipalities.includes(code) ? [code] : [];
}

/** The municipality that a call is for: the only one found. Else why there is none. */
export function chosenMunicipality<Municipality>({
  tenantActive,
  municipalities,
}: MunicipalityFinding<Municipality>): { readonly chosen: Municipality } | { readonly refused: ErrorCode } {
  const [municipality, another] = municipalities;
  if (!tenantActive) {
    return { refused: 'TENANT_DISABLED' };
  }
  if (municipality === undefined) {
    return { refused: 'MUNICIPALITY_NOT_ALLOWED' };
  }
  return another === undefined ? { chosen: municipality } : { refused: 'MUNICIPALITY_REQUIRED' };
}
