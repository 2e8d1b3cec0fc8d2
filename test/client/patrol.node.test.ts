import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FailureKind } from '../../clients/client/index.ts';
import {
  createPatrol,
  mayIssue,
  nextStep,
  type Patrol,
  type PatrolAnswer,
  type PatrolSettings,
  type Settled,
} from '../../clients/client/patrol/index.ts';
import { Random } from '../domain/random.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { FINDINGS, MINUTE, NOWHERE, World } from './patrol-world.ts';

const NOW = Date.parse('2026-03-07T12:00:00Z');

const item = (id: string, finding: string, changed: object = {}) => ({
  id,
  plate: 'AB123CD',
  area: { code: 'S1', name: 'Via Roma', area_type: 'street' },
  seen_at: new Date(NOW).toISOString(),
  finding,
  look_again_at: null as string | null,
  payment_due: true,
  has_valid_entitlement: false,
  has_valid_parking: false,
  has_valid_subscription: false,
  doubts: [],
  ...changed,
});
const refused = (id: string, code: string) => ({ id, refused: { code, message: 'no' } });
const answerOf = (results: object[]) => ({
  ...{ success: true, ok: true, request_id: crypto.randomUUID(), api_version: '1.0', timezone: 'UTC' },
  ...{
    municipality: { code: 'H501', name: 'Roma' },
    generated_at: new Date(NOW).toISOString(),
    sources: [],
    results,
  },
});
// The shape is the description's.
const success = (...results: object[]) =>
  ({ ok: true, answer: answerOf(results), requestId: null, tookMs: 1 }) as unknown as PatrolAnswer;
const failure = (kind: FailureKind): PatrolAnswer => ({ ok: false, failure: kind, code: 'NETWORK_ERROR' });

describe('A fine may be issued', () => {
  it.each([
    ['for no entitlement in a whole answer', success(item('1', 'no_entitlement')), '1', 'issue'],
    [
      'where the call had one sighting, without its id',
      success(item('1', 'no_entitlement')),
      undefined,
      'issue',
    ],
    [
      'not without an id among several',
      success(item('1', 'no_entitlement'), item('2', 'no_entitlement')),
      undefined,
      'look_again',
    ],
    [
      'not for an id that is there twice',
      success(item('1', 'no_entitlement'), item('1', 'no_entitlement')),
      '1',
      'look_again',
    ],
    ['not for one that is not there', success(item('1', 'no_entitlement')), '2', 'look_again'],
    ['not for a refused item', success(refused('1', 'AREA_NOT_FOUND')), '1', 'officer_decides'],
    ['not for an entitled one', success(item('1', 'entitled')), '1', 'let_go'],
    ['not for a tolerated one', success(item('1', 'tolerated')), '1', 'let_go'],
    ['not where nothing is due', success(item('1', 'not_due')), '1', 'let_go'],
    ['not while it is to be looked at again', success(item('1', 'look_again')), '1', 'look_again'],
    ['not where the officer decides', success(item('1', 'officer_decides')), '1', 'officer_decides'],
    ['not for a finding of a newer service', success(item('1', 'towed')), '1', 'officer_decides'],
    ['not after a refusal', failure('refused'), '1', 'look_again'],
    ['not over the budget', failure('limited'), '1', 'look_again'],
    ['not without an answer', failure('unavailable'), '1', 'look_again'],
    ['not with a wrong setting', failure('misconfigured'), '1', 'look_again'],
  ])('%s', (_, result, id, step) => {
    expect(nextStep(result, id)).toBe(step);
    expect(mayIssue(result, id)).toBe(step === 'issue');
  });
});

const responseOf = (body: object, status = 200, headers: Record<string, string> = {}) => {
  const request_id = crypto.randomUUID();
  return Response.json(
    { request_id, ...body },
    { status, headers: { 'X-Request-Id': request_id, Date: new Date().toUTCString(), ...headers } },
  );
};
const error =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    responseOf({ success: false, ok: false, error: { code, message: 'no' } }, status, headers);

/** Nothing goes wrong. */
class Calm extends Random {
  override oneIn(): boolean {
    return false;
  }
  override below(count: number): number {
    return count - 1;
  }
}

const DEVICE = { baseUrl: 'https://parking.test', token: 'pev_at_x', inBackground: false, askWithinMs: 30 };

/** Whoever looks, with one device after the other. */
class Officer {
  readonly settled = new Map<string, Settled>();
  /** The plates that a device has promised to keep. */
  readonly kept: string[] = [];
  readonly #world: World;
  readonly #random: Random;
  /** Minutes wrong, and by as many in every device's life. */
  readonly #aheadMs: number;
  patrol: Patrol;
  #life = { isOver: false };

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#aheadMs = random.pick([-7, 0, 0, 11]) * MINUTE;
    this.patrol = this.#begin();
  }

  async see(minute: number): Promise<void> {
    const areaCode = this.#random.oneIn(8) ? '' : 'S1';
    const plate = `${areaCode === '' ? NOWHERE : 'P'}${minute}`;
    const seenAt = Date.now();
    const again = seenAt + this.#random.below(3) * 5 * MINUTE;
    this.#world.truth.set(plate, { finding: this.#random.pick(FINDINGS), again, seenAt });
    await this.patrol.see({ plate, areaCode }).then(
      () => this.kept.push(plate),
      () => {},
    );
  }

  /** It is killed in the middle of what it does, and begins again. */
  async loseDevice(): Promise<void> {
    const asking = this.patrol.ask();
    this.#life.isOver = true;
    this.#world.isKilled = true;
    await Promise.all([asking, this.patrol.close()]);
    this.#world.isKilled = false;
    this.patrol = this.#begin();
  }

  #begin(): Patrol {
    const life = { isOver: false };
    this.#life = life;
    return createPatrol({
      ...{ ...DEVICE, store: this.#world.store, fetch: this.#world.fetch },
      wallClock: () => Date.now() + this.#aheadMs,
      onSettled: (reported) => {
        // Nobody hears a killed device.
        if (life.isOver) return;
        const before = this.settled.get(reported.plate);
        if ((before?.id ?? reported.id) !== reported.id)
          this.#world.wrong.push(`${reported.plate} has two ids`);
        this.settled.set(reported.plate, reported);
      },
    });
  }
}

describe('A device', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: NOW });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(Array.from({ length: shortOrThorough(4, 300) }, (_, index) => RUN_SEED + index))(
    'under fire loses nothing, tells what the service says in the end, and dates by its clock (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      const world = new World(random);
      const officer = new Officer(world, random);
      for (let minute = 0; minute < 110; minute += 1) {
        // An hour without a network.
        world.isAway = minute >= 10 && minute < 70;
        if (minute < 80 && random.oneIn(3)) await officer.see(minute);
        await (random.oneIn(6) ? officer.loseDevice() : officer.patrol.ask());
        vi.advanceTimersByTime(MINUTE);
      }
      for (let more = 0; more < 1_000 && (more === 0 || officer.patrol.waiting > 0); more += 1) {
        await officer.patrol.ask();
        vi.advanceTimersByTime(MINUTE);
      }
      await officer.patrol.close();
      const { kept, settled } = officer;
      expect(world.wrong).toEqual([]);
      expect(kept.length).toBeGreaterThan(5);
      expect(kept.map((plate) => [plate, settled.get(plate)?.step])).toEqual(
        kept.map((plate) => [plate, world.stepOf(plate)]),
      );
    },
    60_000,
  );

  const lost = (changed: Partial<PatrolSettings> = {}) => {
    const reported: Settled[] = [];
    const failures: string[] = [];
    const patrol = createPatrol({
      ...DEVICE,
      fetch: () => Promise.reject(new TypeError('fetch failed')),
      onSettled: (settled) => void reported.push(settled),
      onFailure: (failure) => void failures.push('code' in failure ? failure.code : failure.message),
      ...changed,
    });
    return { patrol, reported, failures };
  };

  /** A device whose service fails for each sighting alone, while it is not away. */
  const failingAlone = () => {
    const service = { isAway: false, asked: 0 };
    const device = lost({
      fetch: async (url, init) => {
        if (service.isAway) throw new TypeError('fetch failed');
        if (String(url).endsWith('/health')) return responseOf({ success: true, ok: true });
        service.asked += 1;
        const { checks } = JSON.parse(String(init?.body)) as { checks: { id: string }[] };
        const { request_id: _, ...answer } = answerOf(checks.map(({ id }) => refused(id, 'TEMPORARY_ERROR')));
        return responseOf(answer);
      },
    });
    return { ...device, service };
  };

  it('gives a plate to the officer after a day, and forgets it', async () => {
    const { patrol, reported } = lost();
    await patrol.see({ plate: 'LOST', areaCode: 'S1' });
    vi.advanceTimersByTime(24 * 60 * MINUTE - 1);
    await patrol.ask();
    expect([reported, patrol.waiting]).toEqual([[], 1]);
    vi.advanceTimersByTime(1);
    await patrol.ask();
    expect(reported).toMatchObject([{ plate: 'LOST', step: 'officer_decides', item: null }]);
    expect(patrol.waiting).toBe(0);
  });

  it('counts that hour from the first failure: one right after hours without a network is no verdict', async () => {
    const { patrol, reported, service } = failingAlone();
    service.isAway = true;
    await patrol.see({ plate: 'LATE', areaCode: 'S1' });
    vi.advanceTimersByTime(3 * 60 * MINUTE);
    service.isAway = false;
    await patrol.ask();
    expect([service.asked, reported, patrol.waiting]).toEqual([1, [], 1]);
    vi.advanceTimersByTime(60 * MINUTE);
    await patrol.ask();
    expect(reported).toMatchObject([{ step: 'officer_decides' }]);
  });

  it('asks each minute about a sighting that fails alone, and gives it to the officer after an hour', async () => {
    const { patrol, reported, service } = failingAlone();
    await patrol.see({ plate: 'CROWDED', areaCode: 'S1' });
    for (let second = 0; second < 60 * 60; second += 10) {
      await patrol.ask();
      vi.advanceTimersByTime(10_000);
    }
    expect(reported).toEqual([]);
    // The service's clock has no fractions.
    expect(Math.abs(service.asked - 60)).toBeLessThan(3);
    vi.advanceTimersByTime(2 * MINUTE);
    await patrol.ask();
    expect(reported).toMatchObject([{ step: 'officer_decides', item: { refused: {} } }]);
    expect(patrol.waiting).toBe(0);
  });

  it('keeps a plate that nobody could hear of', async () => {
    const { patrol, failures } = lost({ onSettled: () => Promise.reject(new Error('the screen is off')) });
    await patrol.see({ plate: 'LOST', areaCode: 'S1' });
    vi.advanceTimersByTime(24 * 60 * MINUTE);
    await patrol.ask();
    expect([patrol.waiting, failures]).toEqual([1, ['the screen is off', 'NETWORK_ERROR']]);
  });

  it('refuses a sighting that it cannot keep', async () => {
    const full = { load: async () => null, save: () => Promise.reject(new Error('the disk is full')) };
    const { patrol } = lost({ store: full });
    await expect(patrol.see({ plate: 'A1', areaCode: 'S1' })).rejects.toThrow('the disk is full');
    expect(patrol.waiting).toBe(0);
  });

  it('says who looks, and asks about nothing under a name that no header takes', async () => {
    const headers: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = (_, init) => {
      headers.push(new Headers(init?.headers).get('Officer-Reference'));
      return Promise.reject(new TypeError('fetch failed'));
    };
    for (const officerReference of ['badge-0417', 'Ägide']) {
      const { patrol } = lost({ fetch, officerReference });
      await patrol.see({ plate: 'A1', areaCode: 'S1' });
      await patrol.ask();
    }
    expect([...new Set(headers)]).toEqual(['badge-0417']);
  });

  it.each(['{', '{"version":2}', '{"version":1,"serviceAheadMs":0,"sightings":[{"id":1}]}'])(
    'goes on without what it cannot read, and says so: %s',
    async (text) => {
      const { patrol, failures } = lost({ store: { load: async () => [text], save: async () => {} } });
      await patrol.see({ plate: 'A1', areaCode: 'S1' });
      expect(patrol.waiting).toBe(1);
      expect(failures).toEqual(['The stored sightings of an earlier patrol cannot be read.']);
    },
  );

  it.each([
    ['as long as the service says', error(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '60' }), 60],
    ['a minute after what a person has to fix', error(403, 'SCOPE_NOT_ALLOWED'), 60],
    ['some seconds after a failure', error(500, 'TEMPORARY_ERROR'), 5],
  ])('waits by itself %s, whatever is seen meanwhile', async (_, answer, seconds) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: NOW });
    let calls = 0;
    const { patrol } = lost({
      inBackground: true,
      fetch: async (url) => {
        if (String(url).endsWith('/health')) return responseOf({ success: true, ok: true });
        calls += 1;
        return answer();
      },
    });
    await patrol.see({ plate: 'A1', areaCode: 'S1' });
    await vi.advanceTimersByTimeAsync(400);
    const before = calls;
    await patrol.see({ plate: 'A2', areaCode: 'S1' });
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 500);
    expect([before > 0, calls]).toEqual([true, before]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls).toBeGreaterThan(before);
    await patrol.close();
  });

  it('asks by itself until all is settled', async () => {
    vi.useRealTimers();
    const world = new World(new Calm(RUN_SEED));
    world.truth.set('A1', { finding: 'entitled', again: 0, seenAt: Date.now() });
    const reported = Promise.withResolvers<Settled>();
    const patrol = createPatrol({
      ...{
        ...DEVICE,
        inBackground: true,
        askWithinMs: 10_000,
        fetch: world.fetch,
        onSettled: reported.resolve,
      },
    });
    await patrol.see({ plate: 'A1', areaCode: 'S1' });
    expect(await reported.promise).toMatchObject({ plate: 'A1', step: 'let_go' });
    await patrol.close();
  });
});
