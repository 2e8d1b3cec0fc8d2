import { type Budget, type RatePolicy, type Spend, spend } from '../../domain/budget.ts';
import type { Instant } from '../../domain/instant.ts';
import {
  type AdmissionCall,
  type AdmissionRefusal,
  type BudgetName,
  type CredentialRecord,
  refusalOf,
} from './credential-record.ts';
import { type Grant, grantOf } from './grant.ts';

/** The contents of the RateLimit headers. */
export interface RateReport extends RatePolicy {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The answer of the credential's object. A refusal is a value: only failures throw. */
export type AdmissionAnswer =
  | { readonly outcome: 'admitted'; readonly grant: Grant; readonly rate: RateReport }
  | { readonly outcome: 'limited'; readonly rate: RateReport }
  | RefusedCall
  | { readonly outcome: 'unknown' };

/** A call that its credential may not make. */
export interface RefusedCall {
  readonly outcome: 'refused';
  readonly code: AdmissionRefusal;
  /** For the call log only: the code of the tenant, if the secret was correct. */
  readonly tenantCode: string | null;
}

/**
 * Decides whether a call passes: the credential first, then the budget, so that a refused call costs none.
 *
 * @param how whether calls are reserved ahead
 * @returns the answer, the budget to keep in memory, and the budget to store before the answer is sent, if any
 */
export function decideAdmission(
  record: CredentialRecord,
  call: AdmissionCall,
  budget: Budget,
  now: Instant,
  how: Omit<Spend, 'cost'> = {},
): { answer: AdmissionAnswer; budget: Budget; toStore: Budget | null } {
  const code = refusalOf(record, call, now);
  if (code !== null) {
    const tenantCode = code === 'TOKEN_INVALID' ? null : record.credential.tenantCode;
    return { answer: { outcome: 'refused', code, tenantCode }, budget, toStore: null };
  }
  // More than the limit can never pass: such a call is refused for its fields, which costs one.
  const cost = call.cost > record.rate.limit ? 1 : call.cost;
  const { decision, ...spent } = spend(budget, record.rate, now, { cost, ...how });
  const rate = { ...record.rate, remaining: decision.remaining, resetSeconds: decision.resetSeconds };
  return decision.passes
    ? { answer: { outcome: 'admitted', grant: grantOf(record), rate }, ...spent }
    : { answer: { outcome: 'limited', rate }, ...spent };
}

/** `RateLimit` and `RateLimit-Policy` of the IETF draft: the budget's name, its rest, and until when. */
export function rateLimitHeaders(budget: BudgetName, rate: RateReport): Record<string, string> {
  return {
    'RateLimit-Policy': `"${budget}";q=${rate.limit};w=${rate.windowSeconds}`,
    RateLimit: `"${budget}";r=${rate.remaining};t=${rate.resetSeconds}`,
  };
}
