import { DurableObject } from 'cloudflare:workers';
import { type Budget, restored, settled, UNUSED_BUDGET } from '../domain/budget.ts';
import { type Instant, instant } from '../domain/instant.ts';
import type { RateState } from '../domain/rate-window.ts';
import type { Env } from '../env.ts';
import { BUDGET_NAMES, type BudgetName } from './budget-names.ts';
import type { AdmissionCall, CredentialRecord } from './credential-record.ts';
import { type AdmissionAnswer, countRefusal, decideAdmission, type RefusedCall } from './decide-admission.ts';

/** The keys of the object's storage. */
const RECORD_KEY = 'credential';
const budgetKey = (name: BudgetName): string => `budget:${name}`;

/**
 * The authority for one credential, named by the credential's id: whether it may call, and its budgets. Every method
 * reads, decides and writes without waiting in between, so that calls are decided one after the other; the runtime
 * holds each answer until what it rests on is stored.
 */
export class CredentialObject extends DurableObject<Env> {
  #record: CredentialRecord | undefined;
  readonly #budgets = new Map<BudgetName, Budget>();
  /** Never stored: a flood of refused calls must cost no write. */
  #refusals: RateState = [];

  /** Decides one call, and spends the budget if it passes. */
  admit(call: AdmissionCall, budget: BudgetName): AdmissionAnswer {
    const record = this.#load();
    if (record === undefined) {
      return { outcome: 'unknown' };
    }
    const now = instant(Date.now());
    const decision = decideAdmission(record, call, this.#budget(budget, now), now);
    // Stored before it is remembered: what could not be stored must not let calls pass.
    if (decision.toStore !== null) {
      this.ctx.storage.kv.put(budgetKey(budget), decision.toStore);
    }
    this.#budgets.set(budget, decision.budget);
    const { answer } = decision;
    return answer.outcome === 'refused' ? this.#counted(answer, record, now) : answer;
  }

  /**
   * Takes the credential as the administrator has changed it, unless it holds a newer version, or another one of the
   * same number: a database that was restored gives numbers a second time.
   *
   * @returns null when it holds this very one, else the version that stands in its way
   */
  install(record: CredentialRecord): number | null {
    const own = this.#load();
    if (own !== undefined && own.credential.version >= record.credential.version) {
      return JSON.stringify(own) === JSON.stringify(record) ? null : own.credential.version;
    }
    this.ctx.storage.kv.put(RECORD_KEY, record);
    this.#record = record;
    this.#settleBudgets();
    return null;
  }

  #counted(refused: RefusedCall, { rate }: CredentialRecord, now: Instant): RefusedCall {
    const { answer, refusals } = countRefusal(refused, this.#refusals, rate, now);
    this.#refusals = refusals;
    return answer;
  }

  #load(): CredentialRecord | undefined {
    this.#record ??= this.ctx.storage.kv.get<CredentialRecord>(RECORD_KEY);
    return this.#record;
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
    const now = instant(Date.now());
    for (const name of BUDGET_NAMES) {
      const budget = this.#budget(name, now);
      if (budget.reserved > 0) {
        this.ctx.storage.kv.put(budgetKey(name), settled(budget));
        this.#budgets.set(name, settled(budget));
      }
    }
  }
}
