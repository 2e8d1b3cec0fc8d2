import type { ErrorCode } from '../../base/errors/error-codes.ts';
import type { Grant } from '../access/grant.ts';

/** Where a statement looks for the municipality of a call. */
export type MunicipalitySearch =
  /** Before the grant: the code that the call names. */
  | { readonly by: 'code'; readonly code: string }
  /** Before the grant, without a code: the credential's municipalities in the database. */
  | { readonly by: 'credential'; readonly credentialId: string }
  | GrantedSearch;

/** After the grant: the active ones among what the credential's object allows. */
interface GrantedSearch {
  readonly by: 'grant';
  readonly tenantId: number;
  readonly codes: readonly string[];
}

/** The part of a municipality's row that every operation reads. */
export interface FoundMunicipality {
  readonly code: string;
  readonly tenantId: number;
  readonly active: boolean;
  /** The name of the database where it lives, if not the one that was asked. The rest of the row is then stale. */
  readonly movedTo: string | null;
  /** It is being copied from there to the one that was asked. */
  readonly isArriving: boolean;
  /** How often it had moved when it came to this database or left it. */
  readonly stay: number;
}

/** The result of looking for a call's municipality. */
export interface MunicipalityFinding<Municipality extends FoundMunicipality> {
  /** Whether the tenant is active. False where nothing was found before the grant: then it is not known. */
  readonly tenantActive: boolean;
  /** Two stand for "two or more". */
  readonly municipalities: readonly Municipality[];
  /** Whether it comes from the primary, so that a negative needs no second read. */
  readonly fromPrimary?: boolean;
}

/** What to read before the grant, while the credential's rights are not known yet. */
export function searchEarly(code: string | undefined, credentialId: string): MunicipalitySearch {
  return code === undefined ? { by: 'credential', credentialId } : { by: 'code', code };
}

/** What to read once the credential's object has said which municipalities this call may be for. */
export function searchGranted({ tenantId, municipalities }: Grant): GrantedSearch {
  return { by: 'grant', tenantId, codes: municipalities };
}

/**
 * Whether the facts read before the grant settle which municipality the call is for: it is exactly the one
 * that the grant allows, active and here. Otherwise (another tenant's code, a row that lags behind the
 * object, several, inactive, or moved elsewhere) it is dropped and read again as granted, so that all
 * refusals cost the same.
 */
export function settlesMunicipality(finding: MunicipalityFinding<FoundMunicipality>, grant: Grant): boolean {
  const choice = chooseMunicipality(finding, grant.municipalities);
  return (
    'chosen' in choice &&
    finding.municipalities.length === 1 &&
    choice.chosen.tenantId === grant.tenantId &&
    choice.chosen.code === grant.municipalities[0] &&
    choice.chosen.movedTo === null
  );
}

/**
 * Which of the credential's municipalities leave a choice where a call names none. All of them, so that switching a city
 * on or off never changes which city a call is about; the report alone counts the active ones.
 */
export type Counted = 'all' | 'active';

/**
 * The municipality that a call is for. Otherwise the code of the refusal.
 *
 * @param granted the codes that the grant leaves: one at most where the call names its municipality
 */
export function chooseMunicipality<Municipality extends FoundMunicipality>(
  { tenantActive, municipalities }: MunicipalityFinding<Municipality>,
  granted: readonly string[],
  counted: Counted = 'all',
): { readonly chosen: Municipality } | { readonly refused: ErrorCode } {
  const [municipality, another] = municipalities.filter(({ active }) => active);
  if (!tenantActive) {
    return { refused: 'TENANT_DISABLED' };
  }
  if (counted === 'all' && granted.length > 1) {
    return { refused: 'MUNICIPALITY_REQUIRED' };
  }
  if (municipality === undefined) {
    return { refused: 'MUNICIPALITY_NOT_ALLOWED' };
  }
  return another === undefined ? { chosen: municipality } : { refused: 'MUNICIPALITY_REQUIRED' };
}
