import { never } from '../support/afterwards.ts';
import { databaseDouble, objectsDouble, snapshotsDouble, writesCallLog } from '../support/doubles.ts';
import { Service } from '../support/service.ts';

/** What a call waits for side by side: its credential's object, and the facts, of the database or of the store. */
export type Side = 'object' | 'facts';

/** What becomes of a round trip: `run` makes it. */
type Fate = (run: () => Promise<unknown>) => Promise<unknown>;

const atOnce: Fate = (run) => run();
/** It does not come as long as the file runs. */
export const neverComes: Fate = never;
export const fails: Fate = () => Promise.reject(new Error('D1_ERROR: internal error'));

/** A round trip that has been made, and arrives when the test lets it. */
export class Late {
  readonly #arrival = Promise.withResolvers<void>();
  readonly #then: Fate;

  constructor(then: Fate = atOnce) {
    this.#then = then;
  }

  readonly fate: Fate = async (run) => {
    const outcome = this.#then(run);
    outcome.catch(() => {});
    await this.#arrival.promise;
    return outcome;
  };

  arrive(): void {
    this.#arrival.resolve();
  }
}

/** An isolate whose object and facts answer when the test lets them. */
export class LateBindings {
  object = atOnce;
  facts = atOnce;
  /** Fates of the first round trips for facts, in place of {@link facts}. */
  firstFacts: Fate[] = [];
  /** Round trips that were begun; `database` has all of them but those of the call log, facts among them. */
  readonly begun = { object: 0, facts: 0, database: 0 };

  readonly service: Service;

  constructor(factsAreIn: 'database' | 'snapshots') {
    this.service = new Service({
      CREDENTIALS: objectsDouble((run) => {
        this.begun.object += 1;
        return this.object(run);
      }),
      DB: databaseDouble({
        around: (run, sql) => {
          if (writesCallLog(sql)) {
            return run();
          }
          this.begun.database += 1;
          return factsAreIn === 'database' ? this.#askFacts(run) : run();
        },
      }),
      SNAPSHOTS: snapshotsDouble((run, method) =>
        factsAreIn === 'snapshots' && method.startsWith('get') ? this.#askFacts(run) : run(),
      ),
    });
  }

  forget(): void {
    Object.assign(this.begun, { object: 0, facts: 0, database: 0 });
  }

  /** Ends when a side has been asked. */
  async asked(...sides: readonly Side[]): Promise<void> {
    while (sides.some((side) => this.begun[side] === 0)) {
      await scheduler.wait(1);
    }
  }

  #askFacts(run: () => Promise<unknown>): Promise<unknown> {
    this.begun.facts += 1;
    return (this.firstFacts.shift() ?? this.facts)(run);
  }
}

/** Lets whatever can go on by itself go on. */
export async function meanwhile(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await scheduler.wait(1);
  }
}
