import { type Budget, UNUSED_BUDGET } from '../domain/budget.ts';
import { type Instant, SECOND_MS } from '../domain/instant.ts';
import type { RatePolicy, RateState } from '../domain/rate-window.ts';
import { countRefusal, type RefusedCall } from './decide-admission.ts';
import { type RecognisedToken, recogniseToken, type TokenKind } from './token.ts';

/** How long after a refusal the same caller gets nothing read beside its next admission. */
const REFUSAL_REMEMBERED_MS = 10 * SECOND_MS;
/** Tokens and refusals remembered: an isolate serves few credentials at a time. */
const MOST_REMEMBERED = 1_000;
/** The longest window that a budget can have: what was let pass before it counts no more. */
const LONGEST_WINDOW_MS = 3_600 * SECOND_MS;
/** Budgets kept while objects cannot be reached, a few hundred bytes each. */
const MOST_BUDGETS = 10_000;

/** What an isolate remembers of the credentials it has served. */
export class IsolateMemory {
  readonly #tokens = new Map<string, RecognisedToken>();
  readonly #refusedAt = new Map<string, Instant>();
  readonly #fallbackBudgets = new Map<string, Budget>();
  readonly #refusals = new Map<string, RateState>();

  /**
   * {@link recogniseToken}, once for a token of ours, which comes again and again. One that is not ours is not
   * remembered: whoever makes them up could fill the memory.
   */
  async recognise(token: string, kind: TokenKind, keys: string | undefined): Promise<RecognisedToken | null> {
    const key = `${keys} ${kind} ${token}`;
    const known = this.#tokens.get(key);
    if (known !== undefined) {
      return known;
    }
    const recognised = await recogniseToken(token, kind, keys);
    if (recognised !== null) {
      remember(this.#tokens, key, recognised);
    }
    return recognised;
  }

  /**
   * Whether this caller was refused a moment ago.
   *
   * @param key its token's hash, the operation's scope, and its address
   */
  wasRefused(key: string, now: Instant): boolean {
    const at = this.#refusedAt.get(key);
    return at !== undefined && now - at < REFUSAL_REMEMBERED_MS;
  }

  rememberRefusal(key: string, now: Instant): void {
    remember(this.#refusedAt, key, now);
  }

  forgetRefusal(key: string): void {
    this.#refusedAt.delete(key);
  }

  /** What this isolate itself has let pass of a credential while its object could not be reached. */
  fallbackBudget(credentialId: string): Budget {
    return this.#fallbackBudgets.get(credentialId) ?? UNUSED_BUDGET;
  }

  /**
   * Keeps such a budget. None is given up while a call of it may still count.
   *
   * @throws Error when there is no room for another: letting the call pass uncounted would not be strict
   */
  keepFallbackBudget(credentialId: string, budget: Budget, now: Instant): void {
    if (!this.#fallbackBudgets.has(credentialId) && this.#fallbackBudgets.size >= MOST_BUDGETS) {
      this.#dropIdleBudgets(now);
    }
    if (this.#fallbackBudgets.size >= MOST_BUDGETS && !this.#fallbackBudgets.has(credentialId)) {
      throw new Error('no room for another budget while objects cannot be reached');
    }
    this.#fallbackBudgets.set(credentialId, budget);
  }

  /** {@link countRefusal}, of a call that this isolate itself has refused while the object could not be reached. */
  countRefusal(credentialId: string, refused: RefusedCall, policy: RatePolicy, now: Instant): RefusedCall {
    const { answer, refusals } = countRefusal(refused, this.#refusals.get(credentialId) ?? [], policy, now);
    remember(this.#refusals, credentialId, refusals);
    return answer;
  }

  #dropIdleBudgets(now: Instant): void {
    for (const [credentialId, { runs }] of this.#fallbackBudgets) {
      if (now - (runs.at(-1)?.last ?? 0) >= LONGEST_WINDOW_MS) {
        this.#fallbackBudgets.delete(credentialId);
      }
    }
  }
}

/** Keeps the newest entries. Losing the oldest costs time, never correctness. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_REMEMBERED && oldest !== undefined) {
    map.delete(oldest);
  }
}
