import type { Grant } from '../access/grant.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** Where a statement looks for the municipality of a call. */
export type MunicipalitySearch =
  /** Before the grant: the code that the call names. */
  | { readonly by: 'code'; readonly code: string }
  /** Before the grant: what the database has as the credential's, where the call names none. */
  | { readonly by: 'credential'; readonly credentialId: string }
  | GrantedSearch;

/** After the grant: the active ones among what the credential's object allows. */
export interface GrantedSearch {
  readonly by: 'grant';
  readonly tenantId: number;
  readonly codes: readonly string[];
}

/** What every municipality that was read says of itself. */
export interface FoundMunicipality {
  readonly code: string;
  readonly tenantId: number;
  readonly active: boolean;
  /** The name of the database where it lives, if that is not the one that was asked: then it says nothing else. */
  readonly movedTo: string | null;
  /** It is being copied from there to the database that was asked. */
  readonly isArriving: boolean;
  /** How often it had moved when it came to this database, or left it. */
  readonly stay: number;
}

/** What was found where a call's municipality was looked for. */
export interface MunicipalityFinding<Municipality extends FoundMunicipality> {
  /** Whether the tenant is active. False where nothing was found before the grant: then it is not known. */
  readonly tenantActive: boolean;
  /** Two stand for "two or more". */
  readonly municipalities: readonly Municipality[];
  /** Whether the primary database said it, so that a negative needs no second question. */
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
 * Whether what was read before the grant settles which municipality the call is for. It does where it is of the very
 * municipalities that the credential's object allows, and one of them can be chosen. Otherwise (another tenant's code
 * was named, the row lags behind the object, none is active, or it lives in another database) it counts for nothing, and
 * what is granted is read: so all refusals cost the same, whatever the reason.
 */
export function settlesMunicipality(
  finding: MunicipalityFinding<FoundMunicipality>,
  { tenantId, municipalities }: Grant,
): boolean {
  const found = finding.municipalities;
  const choice = chooseMunicipality(finding);
  return (
    found.length === municipalities.length &&
    found.every((place) => place.tenantId === tenantId && municipalities.includes(place.code)) &&
    'chosen' in choice &&
    choice.chosen.movedTo === null
  );
}

/** The municipality that a call is for: the only active one found. Otherwise the code that says why there is none. */
export function chooseMunicipality<Municipality extends FoundMunicipality>({
  tenantActive,
  municipalities,
}: MunicipalityFinding<Municipality>): { readonly chosen: Municipality } | { readonly refused: ErrorCode } {
  const [municipality, another] = municipalities.filter(({ active }) => active);
  if (!tenantActive) {
    return { refused: 'TENANT_DISABLED' };
  }
  if (municipality === undefined) {
    return { refused: 'MUNICIPALITY_NOT_ALLOWED' };
  }
  return another === undefined ? { chosen: municipality } : { refused: 'MUNICIPALITY_REQUIRED' };
}
