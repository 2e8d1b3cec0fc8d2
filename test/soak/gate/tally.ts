import type { GateEvent } from '../../../clients/client/gate/index.ts';
import { Latencies } from '../latencies.ts';
import type { Decided } from './invariants.ts';
import type { Trouble } from './weather.ts';

const SHOWN = 5;

/** Counts what happened, and fails the process where something was wrong. */
export class Tally {
  readonly #decisions = new Map<string, number>();
  readonly #took = new Map<string, Latencies>();
  readonly #events = new Map<string, number>();
  readonly #troubles = new Map<Trouble, number>();
  readonly #wrong = new Map<string, number>();
  readonly #shown: string[] = [];
  #back = 0;
  #latenessMs = 0;

  /** @param isBack whether the service had been back long enough for it to be asked */
  decided(decided: Decided, isBack: boolean, wrong: readonly string[]): void {
    const { action, basis, tookMs } = decided.decision;
    add(this.#decisions, `${basis}: ${action}`);
    this.#latenessMs = Math.max(this.#latenessMs, decided.latenessMs);
    if (isBack) this.#back += 1;
    const latencies = this.#took.get(basis) ?? new Latencies();
    latencies.add(tookMs);
    this.#took.set(basis, latencies);
    for (const name of wrong) {
      add(this.#wrong, name);
      if (this.#shown.length < SHOWN) {
        const { car, decision, startedAt, passedOn, circuitWasOpen, latenessMs } = decided;
        this.#shown.push(
          JSON.stringify({ name, decision, startedAt, car, passedOn, circuitWasOpen, latenessMs }),
        );
      }
    }
  }

  event(event: GateEvent): void {
    switch (event.type) {
      case 'circuit':
        add(this.#events, `circuit ${event.state}`);
        return;
      case 'list_refreshed':
        add(this.#events, `list refreshed (${event.mode})`);
        return;
      case 'list_failed':
        add(this.#events, `list failed (${event.failure.code})`);
        return;
      default:
        add(this.#events, event.type);
    }
  }

  trouble(trouble: Trouble): void {
    add(this.#troubles, trouble);
  }

  /** How many there were. */
  get troubles(): number {
    return [...this.#troubles.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Prints the figures of docs/gate.md, and what was wrong. */
  report(): void {
    console.table([...this.#decisions].sort().map(([decision, count]) => ({ decision, count })));
    console.table(
      [...this.#took].sort().map(([basis, took]) => ({
        basis,
        decisions: took.count,
        'p50 ms': Math.round(took.quantile(0.5)),
        'p99 ms': Math.round(took.quantile(0.99)),
        'max ms': Math.round(took.quantile(1)),
      })),
    );
    console.table(Object.fromEntries([...this.#troubles].sort()));
    console.table(Object.fromEntries([...this.#events].sort()));
    const count = (name: string): number => this.#events.get(name) ?? 0;
    if (count('list refreshed (full)') === 0 || count('list refreshed (delta)') === 0) {
      add(this.#wrong, 'the gates never had a list, or never a delta');
    }
    for (const basis of ['service', 'list', 'policy']) {
      if (!this.#took.has(basis)) add(this.#wrong, `no decision rests on: ${basis}`);
    }
    console.log(
      `${this.#back} decisions on a way that was clear again; timers up to ${Math.round(this.#latenessMs)} ms late`,
    );
    if (this.#back === 0) add(this.#wrong, 'the way was never clear long enough');
    for (const line of this.#shown) console.error(line);
    for (const [name, times] of this.#wrong) console.error(`WRONG: ${name} (${times} times)`);
    if (this.#wrong.size > 0) process.exitCode = 1;
    else console.log('No decision was wrong, late or groundless.');
  }
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
