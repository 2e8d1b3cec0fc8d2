import { DurableObject } from 'cloudflare:workers';
import { clockNow } from '../../base/platform/clock.ts';
import { type Budget, restoreBudget, UNUSED_BUDGET, withoutReservation } from '../../domain/budget.ts';
import type { Instant } from '../../domain/instant.ts';
import {
  type AdmissionCall,
  BUDGET_NAMES,
  type BudgetName,
  type CredentialRecord,
  fitToDatabase,
  type StoredCredential,
  versionOf,
  withoutDetails,
} from './credential-record.ts';
import { readRowFacts, writeCredentialRow } from './credential-row-table.ts';
import { type AdmissionAnswer, decideAdmission } from './decide-admission.ts';

/** The keys of the object's storage. */
const RECORD_KEY = 'credential';
const ABOUT_KEY = 'about';
const CHANGES_KEY = 'changes';

/** A change is sent again within moments, so a few ids are enough. */
const CHANGES_REMEMBERED = 8;

type About = Omit<StoredCredential, 'record'>;

/** The stored state of a credential's object, apart from the budgets. Every method is synchronous. */
class HeldCredential {
  readonly #kv: SyncKvStorage;
  #record: CredentialRecord | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#kv = storage.kv;
  }

  get record(): CredentialRecord | undefined {
    this.#record ??= this.#kv.get<CredentialRecord>(RECORD_KEY);
    return this.#record;
  }

  get stored(): StoredCredential | undefined {
    const { record } = this;
    const about = this.#kv.get<About>(ABOUT_KEY);
    return record && (about ? { record, ...about } : withoutDetails(record));
  }

  putRecord(record: CredentialRecord): void {
    // Stored first: a change that could not be stored must not take effect.
    this.#kv.put(RECORD_KEY, record);
    this.#record = record;
  }

  put({ record, ...about }: StoredCredential): void {
    this.#kv.put(ABOUT_KEY, about satisfies About);
    this.putRecord(record);
  }

  hasTaken(changeId: string): boolean {
    return this.#changes.includes(changeId);
  }

  noteChange(changeId: string): void {
    this.#kv.put(CHANGES_KEY, [changeId, ...this.#changes].slice(0, CHANGES_REMEMBERED));
  }

  get #changes(): readonly string[] {
    return this.#kv.get<string[]>(CHANGES_KEY) ?? [];
  }
}

/** A change of a credential, on its way to the object. */
export interface CredentialChange {
  /** Unique to this change, so that it is recognised when it is sent again. */
  readonly changeId: string;
  /** The version that the change is based on. Null for a new credential. */
  readonly onVersion: number | null;
  readonly next: StoredCredential;
}

/** The one binding that the object uses. The Worker's own type names this class, and cannot be used here. */
interface ObjectEnv {
  readonly DB: D1Database;
}

/** All but those where one call costs many: a client that has waited as long as `Retry-After` says must find room for all of them. */
const reservesAhead = (name: BudgetName): boolean => name !== 'patrol';

/** The keys of the budgets in the object's storage. */
const budgetKey = (name: BudgetName): string => `budget:${name}`;

/**
 * The authority for one credential, whose id is the name of the object: it decides whether a call is admitted, and holds
 * the budgets. Every method reads, decides and writes without waiting in between, so that calls are decided one by one. The
 * runtime holds each answer back until everything it depends on is stored.
 */
export class CredentialObject extends DurableObject<ObjectEnv> {
  readonly #held = new HeldCredential(this.ctx.storage);
  readonly #budgets = new Map<BudgetName, Budget>();

  /** Decides one call, and takes it from the budget if it is admitted. */
  admit(call: AdmissionCall, budget: BudgetName): AdmissionAnswer {
    const { record } = this.#held;
    if (record === undefined) {
      return { outcome: 'unknown' };
    }
    const now = clockNow();
    const decision = decideAdmission(record, call, this.#budget(budget, now), now, {
      reserves: reservesAhead(budget),
    });
    // Stored first: a budget that could not be stored must not admit calls.
    if (decision.toStore !== null) {
      this.ctx.storage.kv.put(budgetKey(budget), decision.toStore);
    }
    this.#budgets.set(budget, decision.budget);
    return decision.answer;
  }

  /** The credential, or null if the object has none. */
  read(): StoredCredential | null {
    return this.#held.stored ?? null;
  }

  /**
   * Applies the administrator's change. A change that is sent again is applied only once.
   *
   * @returns false if the credential has left the version that the change is based on: nothing has changed
   */
  change({ changeId, onVersion, next }: CredentialChange): boolean {
    if (this.#held.hasTaken(changeId)) {
      return true;
    }
    const { stored } = this.#held;
    if ((stored === undefined ? null : versionOf(stored)) !== onVersion) {
      return false;
    }
    this.#held.noteChange(changeId);
    this.#held.put(next);
    this.#dropReservations();
    return true;
  }

  /**
   * Writes the credential's row. Calls are still decided meanwhile.
   *
   * @returns the credential as it then is: without municipalities that the database does not have. Null: the object has none
   */
  async writeRow(): Promise<StoredCredential | null> {
    const before = this.#held.stored;
    if (before === undefined) {
      return null;
    }
    const facts = await readRowFacts(this.env.DB, before.record.credential);
    if (this.#held.record?.credential.version !== versionOf(before)) {
      // The credential has changed: the facts are out of date.
      return this.writeRow();
    }
    const fitted = fitToDatabase(before, facts);
    this.#held.put(fitted);
    await writeCredentialRow(this.env.DB, fitted);
    return this.read();
  }

  /**
   * Takes a credential from the database, unless the object holds a newer version, or a different one of the same
   * version.
   *
   * @returns null if the object now holds this credential, else the version that it holds instead
   */
  install(record: CredentialRecord): number | null {
    const own = this.#held.record;
    if (own !== undefined && own.credential.version >= record.credential.version) {
      return JSON.stringify(own) === JSON.stringify(record) ? null : own.credential.version;
    }
    this.#held.putRecord(record);
    this.#dropReservations();
    return null;
  }

  #budget(name: BudgetName, now: Instant): Budget {
    const remembered = this.#budgets.get(name);
    if (remembered !== undefined) {
      return remembered;
    }
    const stored = this.ctx.storage.kv.get<Budget>(budgetKey(name)) ?? UNUSED_BUDGET;
    const budget = restoreBudget(stored, now);
    if (budget !== stored) {
      // Otherwise a second eviction would assume the same calls again, and later.
      this.ctx.storage.kv.put(budgetKey(name), budget);
    }
    this.#budgets.set(name, budget);
    return budget;
  }

  /**
   * Calls that were reserved under the old policy must not pass under the new one, whether or not the budget is in
   * memory.
   */
  #dropReservations(): void {
    const now = clockNow();
    for (const name of BUDGET_NAMES) {
      const budget = this.#budget(name, now);
      if (budget.reserved > 0) {
        this.ctx.storage.kv.put(budgetKey(name), withoutReservation(budget));
        this.#budgets.set(name, withoutReservation(budget));
      }
    }
  }
}
