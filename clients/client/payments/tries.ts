import { backoffMs } from '../calls/backoff.ts';
import type { Failure, FailureCode } from '../result.ts';

const BETWEEN_CALLS = { firstMs: 5_000, maxMs: 300_000 };
const SOON_MS = 250;

/** Refusals of the request itself: the same one will always be refused. The operator may settle the causes of all others at the service. */
const FINAL: readonly FailureCode[] = [
  'PAYMENT_CONFLICT',
  'INVALID_REQUEST',
  'INVALID_PLATE',
  'COLLECTED_AT_OUT_OF_RANGE',
  'PAYLOAD_TOO_LARGE',
  'ILL_FORMED_INPUT',
];
/** About an hour: a clock that is minutes fast is right by then, one that is further off is wrong. */
const MAX_TRIES_AHEAD = 20;

interface Tried {
  readonly failures: number;
  /** By `performance.now()`, which never jumps. */
  readonly notBefore: number;
}

/** When what waits is sent again. */
export class Tries {
  readonly #tried = new Map<string, Tried>();
  /** Of all: the service is away, or takes no call of this credential. */
  #everything: Tried = { failures: 0, notBefore: 0 };

  failed(key: string, failure?: Failure): void {
    this.#tried.set(key, after(this.#tried.get(key), failure));
    if (failure !== undefined && failure.failure !== 'refused') {
      this.#everything = after(this.#everything, failure);
    }
  }

  /** The service answers again: the others need not wait any longer. */
  answered(key: string): void {
    this.forget(key);
    this.#everything = { failures: 0, notBefore: 0 };
  }

  forget(key: string): void {
    this.#tried.delete(key);
  }

  isFinal(key: string, { code }: Failure): boolean {
    if (code === 'COLLECTED_AT_IN_FUTURE') return this.#failuresOf(key) >= MAX_TRIES_AHEAD;
    return FINAL.includes(code);
  }

  /** First those that have failed least: one that always fails holds nothing up. */
  inOrder(keys: readonly string[]): string[] {
    return [...keys].sort((a, b) => this.#failuresOf(a) - this.#failuresOf(b));
  }

  isDue(key: string): boolean {
    return this.#dueAt(key) <= performance.now();
  }

  untilDueMs(keys: readonly string[]): number {
    const next = keys.reduce((soonest, key) => Math.min(soonest, this.#dueAt(key)), Number.POSITIVE_INFINITY);
    return Math.min(Math.max(next - performance.now(), SOON_MS), BETWEEN_CALLS.maxMs);
  }

  #dueAt(key: string): number {
    return Math.max(this.#tried.get(key)?.notBefore ?? 0, this.#everything.notBefore);
  }

  #failuresOf(key: string): number {
    return this.#tried.get(key)?.failures ?? 0;
  }
}

function after({ failures } = { failures: 0 }, { retryAfterSeconds = 0 }: Partial<Failure> = {}): Tried {
  const pauseMs = backoffMs(failures + 1, retryAfterSeconds * 1_000, Math.random(), BETWEEN_CALLS);
  return { failures: failures + 1, notBefore: performance.now() + pauseMs };
}
