import { type Instant, SECOND_MS } from '../domain/instant.ts';
import type { RateState } from '../domain/rate-window.ts';
import type { Credential } from './credential-record.ts';

/** How long after an admission the next call of the same token may begin its work beside its own. */
const PRESUMED_FOR_MS = 60 * SECOND_MS;
/** Admissions remembered: an isolate serves few credentials at a time. */
const MOST_ADMITTED = 1_000;
/** The longest window that a budget can have: what was let pass before it counts no more. */
const LONGEST_WINDOW_MS = 3_600 * SECOND_MS;
/** Budgets kept while objects cannot be reached, a few hundred bytes each. */
const MOST_BUDGETS = 10_000;

/** What an isolate remembers of the credentials it has served. */
export class IsolateMemory {
  readonly #admitted = new Map<string, { readonly credential: Credential; readonly at: Instant }>();
  readonly #fallbackBudgets = new Map<string, RateState>();

  /** The credential that was admitted under this key a moment ago. */
  presumed(key: string, now: Instant): Credential | null {
    const entry = this.#admitted.get(key);
    return entry && now - entry.at < PRESUMED_FOR_MS ? entry.credential : null;
  }

  /** Losing the oldest costs time, never correctness. */
  rememberAdmitted(key: string, credential: Credential, now: Instant): void {
    this.#admitted.delete(key);
    this.#admitted.set(key, { credential, at: now });
    const [oldest] = this.#admitted.keys();
    if (this.#admitted.size > MOST_ADMITTED && oldest !== undefined) {
      this.#admitted.delete(oldest);
    }
  }

  forgetAdmitted(key: string): void {
    this.#admitted.delete(key);
  }

  /** What this isolate itself has let pass of a credential while its object could not be reached. */
  fallbackBudget(credentialId: string): RateState {
    return this.#fallbackBudgets.get(credentialId) ?? [];
  }

  /**
   * Keeps such a budget. None is given up while a call of it may still count.
   *
   * @throws Error when there is no room for another: letting the call pass uncounted would not be strict
   */
  keepFallbackBudget(credentialId: string, state: RateState, now: Instant): void {
    if (!this.#fallbackBudgets.has(credentialId) && this.#fallbackBudgets.size >= MOST_BUDGETS) {
      this.#dropIdleBudgets(now);
    }
    if (this.#fallbackBudgets.size >= MOST_BUDGETS && !this.#fallbackBudgets.has(credentialId)) {
      throw new Error('no room for another budget while objects cannot be reached');
    }
    this.#fallbackBudgets.set(credentialId, state);
  }

  #dropIdleBudgets(now: Instant): void {
    for (const [credentialId, state] of this.#fallbackBudgets) {
      if (now - (state.at(-1)?.last ?? 0) >= LONGEST_WINDOW_MS) {
        this.#fallbackBudgets.delete(credentialId);
      }
    }
  }
}
