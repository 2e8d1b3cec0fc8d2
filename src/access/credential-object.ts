import { DurableObject } from 'cloudflare:workers';
import { type Budget, restored, settled, UNUSED_BUDGET } from '../domain/budget.ts';
import { type Instant, instant } from '../domain/instant.ts';
import type { RateState } from '../domain/rate-window.ts';
import { BUDGET_NAMES, type BudgetName } from './budget-names.ts';
import type { AdmissionCall, CredentialRecord } from './credential-record.ts';
import { saysTheSame } from './credential-row-table.ts';
import { type AdmissionAnswer, countRefusal, decideAdmission, type RefusedCall } from './decide-admission.ts';
import { HeldCredential } from './held-credential.ts';
import { RowKeeper } from './row-keeper.ts';
import { named, type StoredCredential, versionOf } from './stored-credential.ts';

const clock = (): Instant => instant(Date.now());

/** A change of a credential, on its way to the object. */
export interface CredentialChange {
  /** Made for this change alone: sent a second time, it is known for the same. */
  readonly changeId: string;
  /** The version that the change was made on. Null: there was no credential. */
  readonly onVersion: number | null;
  readonly next: StoredCredential;
}

/** Of the Worker's bindings, the one that the object uses. The Worker's own type names this class. */
interface ObjectEnv {
  readonly DB: D1Database;
}

/** The keys of the object's storage, beside those of the credential. */
const budgetKey = (name: BudgetName): string => `budget:${name}`;

/**
 * The authority for one credential, named by the credential's id: whether it may call, and its budgets. Every method
 * reads, decides and writes without waiting in between, so that calls are decided one after the other; the runtime
 * holds each answer until what it rests on is stored.
 */
export class CredentialObject extends DurableObject<ObjectEnv> {
  readonly #held = new HeldCredential(this.ctx.storage);
  readonly #row = new RowKeeper(this.ctx.storage, this.#held);
  readonly #budgets = new Map<BudgetName, Budget>();
  /** Never stored: a flood of refused calls must cost no write. */
  #refusals: RateState = [];

  /** Decides one call, and spends the budget if it passes. */
  admit(call: AdmissionCall, budget: BudgetName): AdmissionAnswer {
    const { record } = this.#held;
    if (record === undefined) {
      return { outcome: 'unknown' };
    }
    const now = clock();
    const decision = decideAdmission(record, call, this.#budget(budget, now), now);
    // Stored before it is remembered: what could not be stored must not let calls pass.
    if (decision.toStore !== null) {
      this.ctx.storage.kv.put(budgetKey(budget), decision.toStore);
    }
    this.#budgets.set(budget, decision.budget);
    const { answer } = decision;
    return answer.outcome === 'refused' ? this.#counted(answer, record, now) : answer;
  }

  /** The credential, or null where the object has none. */
  read(): StoredCredential | null {
    return this.#held.stored ?? null;
  }

  /**
   * Takes a change of the administrator's, and marks the row as behind. The same change sent again changes nothing more.
   *
   * @returns false where the credential is no longer of the version that the change was made on: nothing has changed
   */
  async change({ changeId, onVersion, next }: CredentialChange): Promise<boolean> {
    await this.#row.wake(clock());
    if (this.#held.hasTaken(changeId)) {
      return true;
    }
    const { stored } = this.#held;
    if ((stored === undefined ? null : versionOf(stored)) !== onVersion) {
      return false;
    }
    this.#held.noteRowBehind(0);
    this.#held.noteChange(changeId);
    this.#held.put(next);
    this.#settleBudgets();
    return true;
  }

  /**
   * Tries to write the credential's row, at once. Where that fails, the object goes on trying by itself.
   *
   * @returns the credential as it then is: without municipalities that the database does not know
   */
  async writeRow(): Promise<StoredCredential | null> {
    if (this.#held.record !== undefined) {
      await this.#row.tryToWrite(this.env.DB, clock);
    }
    return this.read();
  }

  /**
   * Compares the credential's row with what the object holds, and mends the row. An object without a credential takes
   * the row's.
   */
  async mendRow(row: StoredCredential): Promise<'in_step' | 'mended' | 'failed'> {
    const { stored } = this.#held;
    if (stored === undefined) {
      this.#held.put(row);
      return 'in_step';
    }
    const held = named(stored, row);
    if (this.#held.rowBehind === null && saysTheSame(row, held)) {
      this.#held.put(held);
      return 'in_step';
    }
    return (await this.#row.tryToWrite(this.env.DB, clock)) ? 'mended' : 'failed';
  }

  /** The row is behind: writing it has failed, or was never tried. */
  override async alarm(): Promise<void> {
    if (this.#held.rowBehind !== null) {
      await this.#row.tryToWrite(this.env.DB, clock);
    }
  }

  /**
   * Takes a credential from the database, unless it holds a newer version, or another one of the same number.
   *
   * @returns null when it holds this very one, else the version that stands in its way
   */
  install(record: CredentialRecord): number | null {
    const own = this.#held.record;
    if (own !== undefined && own.credential.version >= record.credential.version) {
      return JSON.stringify(own) === JSON.stringify(record) ? null : own.credential.version;
    }
    this.#held.putRecord(record);
    this.#settleBudgets();
    return null;
  }

  #counted(refused: RefusedCall, { rate }: CredentialRecord, now: Instant): RefusedCall {
    const { answer, refusals } = countRefusal(refused, this.#refusals, rate, now);
    this.#refusals = refusals;
    return answer;
  }

  #budget(name: BudgetName, now: Instant): Budget {
    const known = this.#budgets.get(name);
    if (known !== undefined) {
      return known;
    }
    const stored = this.#stored(name);
    const budget = restored(stored, now);
    if (budget !== stored) {
      // Else a second loss would take the same calls to have passed later still.
      this.ctx.storage.kv.put(budgetKey(name), budget);
    }
    this.#budgets.set(name, budget);
    return budget;
  }

  #stored(name: BudgetName): Budget {
    const stored = this.ctx.storage.kv.get<Budget | RateState>(budgetKey(name)) ?? UNUSED_BUDGET;
    // Before anything was reserved ahead, the runs alone were stored.
    return 'runs' in stored ? stored : { ...UNUSED_BUDGET, runs: stored };
  }

  /** What was reserved under one policy does not reach into the next, whether it is in memory or asleep. */
  #settleBudgets(): void {
    const now = clock();
    for (const name of BUDGET_NAMES) {
      const budget = this.#budget(name, now);
      if (budget.reserved > 0) {
        this.ctx.storage.kv.put(budgetKey(name), settled(budget));
        this.#budgets.set(name, settled(budget));
      }
    }
  }
}
