import type { Instant } from '../domain/instant.ts';
import type { RateState } from '../domain/rate-window.ts';
import type { Credential } from './credential-record.ts';

/** How long after an admission the next call of the same token may begin its work beside its own. */
const PRESUMED_FOR_MS = 60_000;
/** Entries kept of either kind: an isolate serves few credentials at a time. */
const MOST_ENTRIES = 1_000;

/** What an isolate remembers of the credentials it has served. Losing it costs time, never correctness. */
export class IsolateMemory {
  readonly #admitted = new Map<string, { readonly credential: Credential; readonly at: Instant }>();
  readonly #fallbackBudgets = new Map<string, RateState>();

  /** The credential that was admitted under this key a moment ago. */
  presumed(key: string, now: Instant): Credential | null {
    const entry = this.#admitted.get(key);
    return entry && now - entry.at < PRESUMED_FOR_MS ? entry.credential : null;
  }

  rememberAdmitted(key: string, credential: Credential, now: Instant): void {
    remember(this.#admitted, key, { credential, at: now });
  }

  forgetAdmitted(key: string): void {
    this.#admitted.delete(key);
  }

  /** What this isolate itself has let pass of a credential while its object could not be reached. */
  fallbackBudget(credentialId: string): RateState {
    return this.#fallbackBudgets.get(credentialId) ?? [];
  }

  keepFallbackBudget(credentialId: string, state: RateState): void {
    remember(this.#fallbackBudgets, credentialId, state);
  }
}

/** Sets an entry as the newest, and drops the oldest when there are too many. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_ENTRIES && oldest !== undefined) {
    map.delete(oldest);
  }
}
