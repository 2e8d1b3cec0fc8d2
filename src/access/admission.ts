import { type Budget, spend } from '../domain/budget.ts';
import type { Instant } from '../domain/instant.ts';
import { decideCall, type RatePolicy, type RateState } from '../domain/rate-window.ts';
import {
  type AdmissionCall,
  type AdmissionRefusal,
  type Credential,
  type CredentialRecord,
  refusalOf,
} from './credential-record.ts';

/** The budgets of a credential, each with the same limit. Plate checks and reports share `calls`. */
export const BUDGET_NAMES = ['calls', 'options', 'imports'] as const;
export type BudgetName = (typeof BUDGET_NAMES)[number];

/** What the RateLimit headers say. */
export interface RateReport extends RatePolicy {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** What the credential's object answers. A refusal is a value: only failures throw. */
export type AdmissionAnswer =
  | { readonly outcome: 'admitted'; readonly credential: Credential; readonly rate: RateReport }
  /** The same without the credential: the caller has this very version of it already. */
  | { readonly outcome: 'admitted_as_known'; readonly rate: RateReport }
  | { readonly outcome: 'limited'; readonly rate: RateReport }
  | RefusedCall
  | { readonly outcome: 'unknown' };

/** A call that its credential may not make. */
export interface RefusedCall {
  readonly outcome: 'refused';
  readonly code: AdmissionRefusal;
  /** Told (to the call log alone) once the secret has proven right. */
  readonly credential: Credential | null;
  /** Whether more calls were refused in the window than the credential's limit: the call log keeps no row of this one. */
  readonly isPastLimit: boolean;
}

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
    const credential = code === 'TOKEN_INVALID' ? null : record.credential;
    const answer: RefusedCall = { outcome: 'refused', code, credential, isPastLimit: false };
    return { answer, budget, toStore: null };
  }
  const { decision, ...spent } = spend(budget, record.rate, now);
  const rate = { ...record.rate, remaining: decision.remaining, resetSeconds: decision.resetSeconds };
  return decision.passes
    ? { answer: { outcome: 'admitted', credential: record.credential, rate }, ...spent }
    : { answer: { outcome: 'limited', rate }, ...spent };
}

/**
 * Counts a refused call among those before it, so that the holder of a revoked token cannot fill the call log. A token
 * that never was one counts nothing, since it has no row.
 *
 * @param refusals the refused calls that were counted so far
 * @returns the answer, and the refusals to keep in memory
 */
export function countRefusal(
  answer: RefusedCall,
  refusals: RateState,
  policy: RatePolicy,
  now: Instant,
): { answer: RefusedCall; refusals: RateState } {
  if (answer.code === 'TOKEN_INVALID') {
    return { answer, refusals };
  }
  const { passes, state } = decideCall(refusals, policy, now);
  return { answer: { ...answer, isPastLimit: !passes }, refusals: state };
}

/** A call let in. */
export interface Admitted {
  readonly credential: Credential;
  readonly rate: RateReport;
}

/** A call on its way in. */
export interface Admission {
  /**
   * The credential, if this isolate has seen the same token admitted a moment ago for the same operation from the
   * same address: work may begin beside the admission, to be thrown away if that comes back negative.
   */
  readonly presumed: Credential | null;
  /** Rejects with the refusal. */
  readonly settled: Promise<Admitted>;
}

/**
 * Does the work of an admitted call: at once where the credential is presumed, else after the admission. No result
 * leaves before the admission stands; one that rests on an older version of the credential is made again.
 */
export async function whenAdmitted<T>(
  admission: Admission,
  work: (credential: Credential) => Promise<T>,
): Promise<T> {
  const { presumed, settled } = admission;
  if (presumed === null) {
    return work((await settled).credential);
  }
  const early = work(presumed);
  // Its failure is heard below, or not at all when the admission is refused.
  early.catch(() => {});
  const { credential } = await settled;
  if (credential.version === presumed.version) {
    return early;
  }
  // It may have noted on its way what holds no more: it comes to its end before the work begins anew.
  await early.catch(() => {});
  return work(credential);
}
