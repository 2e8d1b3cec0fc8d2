import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { refuse } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import { type Grant, narrowTo } from '../access/grant.ts';

/** Where a statement looks for the municipality of a call. */
export type MunicipalitySearch =
  /** Before the grant: the code that the call names. */
  { readonly by: 'code'; readonly code: string } | GrantedSearch;

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
}

/** The result of looking for a call's municipality. */
export interface MunicipalityFinding<Municipality extends FoundMunicipality> {
  /** Whether the tenant is active. False where nothing was found before the grant: then it is not known. */
  readonly tenantActive: boolean;
  /** Two stand for "two or more". */
  readonly municipalities: readonly Municipality[];
}

/** What to read once the credential's object has said which municipalities this call may be for. */
export function searchGranted({ tenantId, municipalities }: Grant): GrantedSearch {
  return { by: 'grant', tenantId, codes: municipalities };
}

/**
 * Whether the facts read before the grant settle which municipality the call is for: it is exactly the one
 * that the grant allows, and active. Otherwise (another tenant's code, a row that lags behind the object, or
 * inactive) it is dropped and read again as granted, so that all refusals cost the same.
 */
export function settlesMunicipality(finding: MunicipalityFinding<FoundMunicipality>, grant: Grant): boolean {
  const choice = chooseMunicipality(finding, grant.municipalities);
  return (
    'chosen' in choice &&
    finding.municipalities.length === 1 &&
    choice.chosen.tenantId === grant.tenantId &&
    choice.chosen.code === grant.municipalities[0]
  );
}

/**
 * Which of the credential's municipalities leave a choice where a call names none. All of them, so that switching a city
 * on or off never changes which city a call is about; the report alone counts the active ones.
 */
type Counted = 'all' | 'active';

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

export type Finding = MunicipalityFinding<FoundMunicipality>;

/**
 * Chooses the municipality of a granted call, for operations that know only late which one is named, or whether they need
 * one. All others leave it to the pipeline.
 *
 * @param code the one that the call names, if any
 * @param counted which of the credential's municipalities leave a choice where the call names none
 * @throws Refusal `TENANT_DISABLED`; `MUNICIPALITY_NOT_ALLOWED` for one that is unknown, inactive or not the credential's,
 * and for a credential without any; `MUNICIPALITY_REQUIRED` where it has several and the call names none
 */
export async function chooseGranted<Municipality extends FoundMunicipality>(
  { DB }: Pick<Env, 'DB'>,
  grant: Grant,
  code: string | undefined,
  read: (db: D1Database, search: MunicipalitySearch) => Promise<MunicipalityFinding<Municipality>>,
  counted: Counted = 'all',
): Promise<Municipality> {
  const narrowed = narrowTo(code ?? null, grant);
  const found = await read(DB, searchGranted(narrowed));
  const choice = chooseMunicipality(found, narrowed.municipalities, counted);
  if ('refused' in choice) {
    refuse(choice.refused);
  }
  return choice.chosen;
}
