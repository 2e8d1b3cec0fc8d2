import type { RatePolicy } from '../../domain/budget.ts';
import type { AdmissionRefusal, Credential } from './credential-record.ts';
import { type AskedScope, actsAsOffice } from './scopes.ts';

/**
 * The rights of an admitted call, from its credential's object. The rest of the call learns nothing more about the
 * credential.
 */
export interface Grant
  extends Pick<Credential, 'credentialId' | 'tenantCode' | 'historicalDaysAllowed' | 'sourceCode' | 'areas'> {
  /** The codes of all that the call may be about. Null, for an office at its work: all of its tenant's. */
  readonly municipalities: readonly string[] | null;
}

/** The contents of the RateLimit headers. */
export interface RateReport extends RatePolicy {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The answer of the credential's object. A refusal is a value: only failures throw. */
export type AdmissionAnswer =
  | { readonly outcome: 'admitted'; readonly grant: Grant; readonly rate: RateReport }
  | { readonly outcome: 'limited'; readonly rate: RateReport }
  | {
      readonly outcome: 'refused';
      readonly code: AdmissionRefusal;
      /** For the structured log: the code of the tenant, if the secret was correct. */
      readonly by: string | null;
    };

/** @param asked what the call needs: an office does its work for all of its tenant, and anything else for its own municipalities */
export const grantOf = (
  { municipalities, scopes, ...credential }: Credential,
  asked: AskedScope | null,
): Grant => ({
  credentialId: credential.credentialId,
  tenantCode: credential.tenantCode,
  historicalDaysAllowed: credential.historicalDaysAllowed,
  sourceCode: credential.sourceCode,
  areas: credential.areas,
  municipalities: asked !== null && actsAsOffice(scopes, asked) ? null : municipalities,
});

/** Whether a call may be about an area, which need not exist. */
export const mayName = ({ areas }: Pick<Grant, 'areas'>, areaCode: string): boolean =>
  areas === null || areas.includes(areaCode);
