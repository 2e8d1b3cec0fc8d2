import { type Budget, spend } from '../domain/budget.ts';
import type { Instant } from '../domain/instant.ts';
import type { RatePolicy } from '../domain/rate-window.ts';
import {
  type AdmissionCall,
  type AdmissionRefusal,
  type CredentialRecord,
  refusalOf,
} from './credential-record.ts';
import { type Grant, grantOf } from './grant.ts';

/** What the RateLimit headers say. */
export interface RateReport extends RatePolicy {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** What the credential's object answers. A refusal is a value: only failures throw. */
export type AdmissionAnswer =
  | { readonly outcome: 'admitted'; readonly grant: Grant; readonly rate: RateReport }
  | { readonly outcome: 'limited'; readonly rate: RateReport }
  /** The tenant's code is for the call log alone, and told once the secret has proven right. */
  | { readonly outcome: 'refused'; readonly code: AdmissionRefusal; readonly tenantCode: string | null }
  | { readonly outcome: 'unknown' };

/**
 * Decides whether a call passes: the credential first, then the budget, so that a refused call costs none.
 *
 * @returns the answer, the budget to keep, and what of it must be stored before the answer leaves
 */
export function decideAdmission(
  record: CredentialRecord,
  call: AdmissionCall,
  budget: Budget,
  now: Instant,
): { answer: AdmissionAnswer; budget: Budget; toStore: Budget | null } {
  const code = refusalOf(record, call, now);
  if (code !== null) {
    const tenantCode = code === 'TOKEN_INVALID' ? null : record.credential.tenantCode;
    return { answer: { outcome: 'refused', code, tenantCode }, budget, toStore: null };
  }
  const { decision, ...spent } = spend(budget, record.rate, now);
  const rate = { ...record.rate, remaining: decision.remaining, resetSeconds: decision.resetSeconds };
  return decision.passes
    ? { answer: { outcome: 'admitted', grant: grantOf(record, call.municipality), rate }, ...spent }
    : { answer: { outcome: 'limited', rate }, ...spent };
}
