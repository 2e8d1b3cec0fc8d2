import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { callOffOf, city, credentialFor, moveOf, putDocument } from '../databases/nation.ts';
import type { Random } from '../domain/random.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { type Answer, Service } from '../support/service.ts';
import { type DatabaseName, prepareSeveral, SEVERAL } from '../support/several.ts';
import { type Change, randomChange } from './twin-changes.ts';

/** One moves, the other stays: all that is sent to the one is sent to the other. Each has a tenant of its own. */
export const MOVER = 'M001';
export const TWIN = 'T001';
export const TENANTS: Readonly<Record<string, string>> = { [MOVER]: 'acme', [TWIN]: 'twin' };

/** What may happen to a round trip: nothing is done, or all is done and nobody hears of it. */
export type Fault = 'refused' | 'answer lost';
export const FAULTS = ['refused', 'answer lost'] as const satisfies readonly Fault[];

const opposite = (name: DatabaseName): DatabaseName => (name === 'DB' ? 'DB_2' : 'DB');

/** Every round trip of a move has its fault in the thorough run; in the short one a few, from where a test begins. */
const STEP = shortOrThorough(17, 1);

/** A service of which one round trip to any database fails, by its number from 1; and how many there were. */
function failing(at: number, fault: Fault) {
  let trips = 0;
  const broken = (database: D1Database) =>
    databaseDouble(
      {
        around: async (run) => {
          trips += 1;
          if (trips !== at) return run();
          if (fault === 'answer lost') await run();
          throw new Error('D1_ERROR: the step was killed');
        },
      },
      database,
    );
  const databases = { DB: broken(env.DB), DB_2: broken(env.SECOND), DB_3: broken(env.THIRD) };
  return { killed: new Service({ ...databases, SNAPSHOTS: noSnapshots() }), trips: () => trips };
}

/** A municipality that moves there and back, and its twin, which does not. */
export class Twins {
  readonly service = new Service({ ...SEVERAL, SNAPSHOTS: noSnapshots() });
  readonly #random: Random;
  readonly #headers = new Map<string, Record<string, string>>();
  /** What the mover refuses while it switches waits until it has moved. */
  readonly #waiting: Change[] = [];
  #livesIn: DatabaseName = 'DB';

  private constructor(random: Random) {
    this.#random = random;
  }

  /** Configures both in the home, with some sessions and subscriptions. The log says nothing of what is killed. */
  static async begin(random: Random): Promise<Twins> {
    await prepareSeveral();
    const twins = new Twins(random);
    for (const [code, tenant] of Object.entries(TENANTS)) {
      await putDocument(twins.service, {
        tenants: [{ code: tenant, name: tenant }],
        municipalities: [{ ...city({ code, name: 'City', database: 'DB' }), tenant }],
      });
      const scopes = [
        'plate_check',
        'subscription_options',
        'report',
        'import',
        'evidence',
        'entitlement_list',
      ];
      twins.#headers.set(code, await credentialFor(twins.service, [code], { tenant, scopes }));
    }
    await twins.change(20);
    return twins;
  }

  /** The headers of a credential for the one or the other. */
  headersOf(code: string): Record<string, string> {
    return this.#headers.get(code) ?? expect.fail(code);
  }

  /** Asks both the same, and expects the same of both. */
  async expectSame(what: string, ask: (code: string) => Promise<unknown>): Promise<void> {
    expect(await ask(MOVER), what).toEqual(await ask(TWIN));
  }

  /** Sends random changes to both. */
  async change(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await this.send(randomChange(this.#random));
    }
  }

  /**
   * Sends a change to both. What has to wait, waits behind all that waits already.
   *
   * @returns whether it was sent
   */
  send(change: Change): Promise<boolean> {
    return this.#send(change, this.#waiting);
  }

  async #send(change: Change, waiting: Change[]): Promise<boolean> {
    const send = (code: string) => change({ service: this.service, headers: this.headersOf(code), code });
    const answer = waiting.length > 0 ? null : await send(MOVER);
    if (answer === null || answer.status === 503) {
      waiting.push(change);
      return false;
    }
    expect(comparable(answer)).toEqual(comparable(await send(TWIN)));
    return true;
  }

  /**
   * Moves the mover there and back, each time with a fault in the next round trip of the move, until none is left.
   *
   * @param first the first of the round trips that the short run tries: another one in each test
   */
  async moveWithEachFault(
    first: 1 | 2 | 3 | 4 | 5,
    fault: () => Fault,
    compare: (when: string, trip: number) => Promise<void>,
  ): Promise<void> {
    let trip = shortOrThorough(first, 1);
    while (await this.#moveWithFault(trip, fault(), (when) => compare(when, trip))) {
      trip += STEP;
    }
    expect(trip).toBeGreaterThan(20);
  }

  /**
   * Moves the mover to the other database, with a fault in one round trip of the first call, and goes on when the answers
   * behind that have been compared.
   *
   * @returns whether the call came as far as that round trip
   */
  async #moveWithFault(at: number, fault: Fault, compare: (when: string) => Promise<void>): Promise<boolean> {
    const to = opposite(this.#livesIn);
    const { killed, trips } = failing(at, fault);
    await moveOf(killed, MOVER, to);
    await compare(`behind trip ${at}, ${fault}`);
    await this.change(2);
    await this.#complete(to);
    await compare(`once moved, behind trip ${at}, ${fault}`);
    return trips() >= at;
  }

  /**
   * Begins to move the mover, each time up to a fault in the next round trip of the move, and calls the move off, with a
   * fault in one round trip of that too; until the move can only be finished.
   */
  async callOffBehindEachFault(fault: () => Fault, compare: (when: string) => Promise<void>): Promise<void> {
    for (let at = 1, isCalledOff = true; isCalledOff; at += shortOrThorough(7, 1)) {
      const to = at % 2 === 1 ? opposite(this.#livesIn) : 'DB_3';
      const { killed, trips } = failing(at, fault());
      await moveOf(killed, MOVER, to);
      await compare(`moved up to trip ${at}`);
      await this.change(2);
      await callOffOf(failing(1 + (at % 9), fault()).killed, MOVER);
      await compare(`called off up to trip ${1 + (at % 9)}, behind trip ${at} of the move`);
      await this.change(1);
      isCalledOff = (await this.#callOff()) && trips() >= at;
      if (isCalledOff) await this.#sendWaiting();
      else await this.#complete(to);
      await compare(`called off behind trip ${at} of the move: ${isCalledOff}`);
    }
  }

  /** @returns whether it is called off, or has never begun; else it can only be finished */
  async #callOff(): Promise<boolean> {
    for (let calls = 0; calls < 20; calls += 1) {
      const { status, body } = await callOffOf(this.service, MOVER);
      if (status !== 200) {
        expect([404, 409]).toContain(status);
        return status === 404;
      }
      if (body.state === 'called_off') return true;
    }
    return expect.fail('the calling off does not end');
  }

  async #complete(to: DatabaseName): Promise<void> {
    for (let calls = 0, isDone = false; !isDone; calls += 1) {
      expect(calls, 'the move does not end').toBeLessThan(20);
      const { status, body } = await moveOf(this.service, MOVER, to);
      if (status !== 422) expect(status, JSON.stringify(body)).toBe(200);
      isDone = status === 422 || body.state === 'done';
    }
    this.#livesIn = to;
    await this.#sendWaiting();
  }

  async #sendWaiting(): Promise<void> {
    for (const change of this.#waiting.splice(0)) {
      const stillWaiting: Change[] = [];
      await this.#send(change, stillWaiting);
      expect(stillWaiting).toEqual([]);
    }
  }
}

/** What differs from call to call, and between the two, at the top of an answer. */
const CHANGING = [
  'request_id',
  'municipality',
  'checked_at',
  'generated_at',
  'after_30',
  'after_60',
  'RateLimit',
  'checks',
];
/** And wherever it stands: each has ids of its own, and gets everything an instant before or behind the other. */
const OWN = new Set([
  ...['id', 'source_id', 'request_id', 'credential_id', 'municipality_code', 'tenant'],
  ...['recorded_at', 'late_by_seconds', 'known_since', 'checks_since', 'last_successful_at'],
  ...['last_successful_import_at', 'scadenza'],
]);

/** An answer without what differs from call to call, and between the two. */
export function comparable({ status, body }: Answer): unknown {
  const kept = Object.entries(body).filter(([name]) => !CHANGING.includes(name));
  const withoutOwn = (name: string, value: unknown): unknown =>
    OWN.has(name) && (typeof value === 'string' || typeof value === 'number') ? typeof value : value;
  return JSON.parse(JSON.stringify([status, Object.fromEntries(kept)], withoutOwn));
}
