import { type Budget, type RatePolicy, type RateState, UNUSED_BUDGET } from '../../domain/budget.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { countRefusal, type RefusedCall } from './decide-admission.ts';
import { type RecognisedToken, recogniseToken, type TokenKind } from './token.ts';

/** For how long after a refusal nothing is read for the same caller before it is admitted. */
const REFUSAL_REMEMBERED_MS = 10 * SECOND_MS;
/** Tokens and refusals that are remembered. An isolate serves few credentials at a time. */
const MAX_REMEMBERED = 1_000;
/** The longest window that a budget can have: calls before it no longer count. */
const MAX_WINDOW_MS = 3_600 * SECOND_MS;
/** Budgets kept while objects cannot be reached, a few hundred bytes each. */
const MAX_BUDGETS = 10_000;

/** What an isolate remembers about the credentials that it has served. */
export class IsolateMemory {
  readonly #tokens = new Map<string, RecognisedToken>();
  readonly #refusedAt = new Map<string, Instant>();
  readonly #fallbackBudgets = new Map<string, Budget>();
  readonly #refusals = new Map<string, RateState>();

  /**
   * {@link recogniseToken}, but only once for each valid token, since they are sent again and again. Made-up tokens are not
   * remembered, as they could fill the memory.
   */
  async recognise(token: string, kind: TokenKind, keys: string | undefined): Promise<RecognisedToken | null> {
    const key = `${keys} ${kind} ${token}`;
    const remembered = this.#tokens.get(key);
    if (remembered !== undefined) {
      return remembered;
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

  /** The calls that this isolate has admitted for a credential while its object could not be reached. */
  fallbackBudget(credentialId: string): Budget {
    return this.#fallbackBudgets.get(credentialId) ?? UNUSED_BUDGET;
  }

  /**
   * Stores such a budget. A budget is only dropped once none of its calls can still count.
   *
   * @throws Error when there is no room: a call that cannot be counted must not be admitted
   */
  keepFallbackBudget(credentialId: string, budget: Budget, now: Instant): void {
    if (!this.#fallbackBudgets.has(credentialId) && this.#fallbackBudgets.size >= MAX_BUDGETS) {
      this.#dropIdleBudgets(now);
      if (this.#fallbackBudgets.size >= MAX_BUDGETS) {
        throw new Error('no room for another budget while objects cannot be reached');
      }
    }
    this.#fallbackBudgets.set(credentialId, budget);
  }

  /** {@link countRefusal}, for a call that this isolate has refused while the object could not be reached. */
  countRefusal(credentialId: string, refused: RefusedCall, policy: RatePolicy, now: Instant): RefusedCall {
    const { answer, refusals } = countRefusal(refused, this.#refusals.get(credentialId) ?? [], policy, now);
    remember(this.#refusals, credentialId, refusals);
    return answer;
  }

  #dropIdleBudgets(now: Instant): void {
    for (const [credentialId, { runs }] of this.#fallbackBudgets) {
      if (now - (runs.at(-1)?.last ?? 0) >= MAX_WINDOW_MS) {
        this.#fallbackBudgets.delete(credentialId);
      }
    }
  }
}

/** Keeps the newest entries. Forgetting the oldest costs time and is never wrong. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) {
    map.delete(oldest);
  }
}
