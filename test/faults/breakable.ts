import { vi } from 'vitest';
import { never } from '../support/afterwards.ts';
import { databaseDouble, objectsDouble, snapshotsDouble } from '../support/doubles.ts';
import { type Answer, Service } from '../support/service.ts';
import { type Example, expectRight, send } from './calls.ts';

/** What happens to a round trip. */
export type Fault = (run: () => Promise<unknown>) => Promise<unknown>;

const none: Fault = (run) => run();
export const hangs: Fault = never;
export const throws =
  (message: string, properties: object = {}): Fault =>
  () =>
    Promise.reject(Object.assign(new Error(message), properties));
/** The other side has done it, and its answer is lost. */
export const answerLost =
  (message: string): Fault =>
  async (run) => {
    await run();
    throw new Error(message);
  };

export const LOST = 'D1_ERROR: Network connection lost.';
export const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.';

/** Alone the round trip of this number, from 1. */
export function only(number: number, fault: Fault): Fault {
  let count = 0;
  return (run) => {
    count += 1;
    return count === number ? fault(run) : run();
  };
}

/**
 * An isolate whose bindings work until a test says otherwise. Its snapshots' store has nothing, so that every report
 * asks the database; what writes the call log is kept apart from the rest of the database.
 */
export class Breakable {
  database = none;
  callLog = none;
  objects = none;
  snapshots: Fault = async () => null;
  /** Round trips that were begun. */
  readonly trips = { database: 0, callLog: 0, objects: 0, snapshots: 0 };
  #pending = 0;
  #working = 0;

  readonly service: Service;

  constructor() {
    this.service = new Service({
      DB: databaseDouble({
        around: (run, sql) => this.#trip(/insert into "calls"/.test(sql) ? 'callLog' : 'database', run),
      }),
      CREDENTIALS: objectsDouble((run) => this.#trip('objects', run)),
      SNAPSHOTS: snapshotsDouble((run) => this.#trip('snapshots', run)),
    });
  }

  /** A body that does not come. */
  stalledBody(): ReadableStream {
    this.#pending += 1;
    return new ReadableStream({ pull: never });
  }

  async #trip(binding: keyof Breakable['trips'], run: () => Promise<unknown>): Promise<unknown> {
    this.trips[binding] += 1;
    this.#pending += 1;
    try {
      return await this[binding](async () => {
        this.#working += 1;
        try {
          return await run();
        } finally {
          this.#working -= 1;
        }
      });
    } finally {
      this.#pending -= 1;
    }
  }

  /**
   * Asks while something hangs: the clocks stand still as long as anything can go on by itself, so that what is waited
   * for is exact to the millisecond, and takes no time.
   *
   * @returns what was answered, and after how long
   */
  async byFakeTimers(ask: () => Promise<Answer>): Promise<{ answer: Answer; afterMs: number }> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const startedAt = performance.now();
      let answered = false;
      const asked = ask().finally(() => {
        answered = true;
      });
      for (let idle = 0; !answered; idle = this.#isStuck() ? idle + 1 : 0) {
        await scheduler.wait(1);
        if (idle >= IDLE_TURNS) {
          await vi.advanceTimersToNextTimerAsync();
          // What the timer woke has its turns too, before the next one rings.
          idle = 0;
        }
      }
      return { answer: await asked, afterMs: performance.now() - startedAt };
    } finally {
      vi.useRealTimers();
    }
  }

  #isStuck(): boolean {
    return this.#pending > 0 && this.#working === 0;
  }
}

/** So many turns with nothing going on, and nothing will by itself. */
const IDLE_TURNS = 5;

/** Cold: the isolate has not seen the credential. Warm: it has answered a call with it. */
export type State = 'cold' | 'warm';
export const STATES: readonly State[] = ['cold', 'warm'];

/** An isolate, ready for a call, and the call. */
export async function ready(example: Example, state: State) {
  const isolate = new Breakable();
  if (state === 'warm') {
    expectRight(example, await send(await example.next(), isolate.service));
  }
  const call = await example.next();
  Object.assign(isolate.trips, { database: 0, callLog: 0, objects: 0, snapshots: 0 });
  return {
    isolate,
    ask: (changed: object = {}) => send({ ...call, ...changed }, isolate.service),
    call,
    /** The same, and waits for what comes after the answer. */
    settle: () => isolate.service.settle(call.path, call),
  };
}
