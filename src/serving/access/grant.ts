import type { RatePolicy } from '../../domain/budget.ts';
import type { AdmissionRefusal, Credential } from './credential-record.ts';
import { type AskedScope, actsAsOffice, type BudgetName } from './scopes.ts';
import type { RecognisedToken } from './token.ts';

/**
 * The rights of an admitted call, from its credential's object. The rest of the call learns nothing more about the
 * credential.
 */
export interface Grant
  extends Pick<Credential, 'credentialId' | 'tenantCode' | 'historicalDaysAllowed' | 'sourceCode' | 'areas'> {
  /** The codes of all that the call may be about. Null, for an office at its work: all of its tenant's. */
  readonly municipalities: readonly string[] | null;
}

/** A call's admission, which its credential's object is deciding. */
export interface Admission {
  readonly token: RecognisedToken;
  /** Rejects with the refusal, or with what made it fail; settles within a second by itself. */
  readonly granted: Promise<Grant>;
  /** Whether facts may be read before the grant: not for a caller that was refused a moment ago. */
  readonly mayReadEarly: boolean;
  /**
   * Takes more from the budget of an admitted call.
   *
   * @param cost of the call in all; one is taken already
   * @param field of the request that says so
   * @throws Refusal `RATE_LIMIT_EXCEEDED`; `INVALID_REQUEST` for more than the credential may ever spend in a window
   */
  readonly spend: (cost: number, field: string) => Promise<void>;
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

/** `RateLimit` and `RateLimit-Policy` of the IETF draft: the budget's name, its rest, and until when. */
export const rateLimitHeaders = (
  budget: BudgetName,
  { limit, windowSeconds, remaining, resetSeconds }: RateReport,
): Record<string, string> => ({
  'RateLimit-Policy': `"${budget}";q=${limit};w=${windowSeconds}`,
  RateLimit: `"${budget}";r=${remaining};t=${resetSeconds}`,
});
