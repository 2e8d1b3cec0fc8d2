import { DurableObject } from 'cloudflare:workers';
import { clockNow } from '../../base/platform/clock.ts';
import { type RateState, spend } from '../../domain/budget.ts';
import { IMPORT_ENDS_WITHIN_MS, MAX_CHANGES_A_DAY } from '../../domain/import-bounds.ts';
import { DAY_MS, type Instant, utcDay } from '../../domain/instant.ts';
import { type AdmissionCall, type Credential, refusalOf } from './credential-record.ts';
import { type AdmissionAnswer, grantOf } from './grant.ts';

/** The keys of the object's storage, which also has the budgets, each under its name. */
const CREDENTIAL = 'credential';
const IMPORT = 'import';
const STORED = 'stored_changes';

/** The call that imports. */
interface ImportUnderWay {
  readonly requestId: string;
  readonly begunAt: Instant;
}

/** Whether an import may begin: it has, or another try is worth it after some seconds. */
type ImportAnswer =
  | 'begun'
  | { readonly refused: 'under_way' | 'used_up'; readonly retryAfterSeconds: number };

/**
 * The authority for one credential, whose id is the name of the object: it holds the credential, its budgets, and its
 * import under way. Every method reads, decides and writes without waiting in between, so that calls are decided one by
 * one. The runtime holds each answer back until everything it depends on is stored.
 */
export class CredentialObject extends DurableObject {
  readonly #kv = this.ctx.storage.kv;
  #credential: Credential | null = null;
  readonly #budgets = new Map<string, RateState>();

  /**
   * Decides one call, and takes it from its budget if it passes: the credential first, so that a refused call costs none.
   *
   * @param cost what the call takes, all of it or nothing
   * @param toPass how much must be free before the client tries again
   */
  admit(call: AdmissionCall, cost = 1, toPass = cost): AdmissionAnswer {
    const credential = this.read();
    if (credential === null) return { outcome: 'refused', code: 'TOKEN_INVALID', by: null };
    const now = clockNow();
    const code = refusalOf(credential, call, now);
    if (code !== null) {
      const by = code === 'TOKEN_INVALID' ? null : credential.tenantCode;
      return { outcome: 'refused', code, by };
    }
    const key = `budget:${call.budget}`;
    const used = this.#budgets.get(key) ?? this.#kv.get<RateState>(key) ?? [];
    const { state, passes, ...left } = spend(used, credential.rate, now, { cost, toPass });
    const rate = { ...credential.rate, ...left };
    if (!passes) return { outcome: 'limited', rate };
    this.#kv.put(key, state);
    this.#budgets.set(key, state);
    return { outcome: 'admitted', grant: grantOf(credential, call.scope), rate };
  }

  /** The credential, or null if the object has none. */
  read(): Credential | null {
    this.#credential ??= this.#kv.get<Credential>(CREDENTIAL) ?? null;
    return this.#credential;
  }

  /**
   * Takes a changed credential, which follows the version that it is based on. The same change sent again changes
   * nothing.
   *
   * @returns false if the object holds another version: nothing has changed
   */
  change(next: Credential): boolean {
    const held = this.read();
    if (next.version !== (held?.version ?? 0) + 1) {
      return JSON.stringify(next) === JSON.stringify(held);
    }
    // Stored first: a change that could not be stored must not take effect.
    this.#kv.put(CREDENTIAL, next);
    this.#credential = next;
    return true;
  }

  /**
   * Begins an import, unless another is under way, or the day's changes are used up. The same call asks again if the answer was lost.
   */
  beginImport(requestId: string): ImportAnswer {
    const now = clockNow();
    const underWay = this.#kv.get<ImportUnderWay>(IMPORT);
    if (underWay !== undefined && now - underWay.begunAt < IMPORT_ENDS_WITHIN_MS) {
      return underWay.requestId === requestId ? 'begun' : { refused: 'under_way', retryAfterSeconds: 1 };
    }
    if (this.#storedOn(utcDay(now)) >= MAX_CHANGES_A_DAY) {
      const midnight = (utcDay(now) + 1) * DAY_MS;
      return { refused: 'used_up', retryAfterSeconds: Math.ceil((midnight - now) / 1_000) };
    }
    this.#kv.put(IMPORT, { requestId, begunAt: now } satisfies ImportUnderWay);
    return 'begun';
  }

  /**
   * Ends the import of a call. One that counts as ended already does not end the next one.
   *
   * @param stored the changes that it has stored
   */
  endImport(requestId: string, stored: number): void {
    const day = utcDay(clockNow());
    if (this.#kv.get<ImportUnderWay>(IMPORT)?.requestId === requestId) this.#kv.delete(IMPORT);
    this.#kv.put(STORED, { day, count: this.#storedOn(day) + stored });
  }

  #storedOn(day: number): number {
    const stored = this.#kv.get<{ day: number; count: number }>(STORED);
    return stored?.day === day ? stored.count : 0;
  }
}
