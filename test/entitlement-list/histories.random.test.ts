import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { Random } from '../domain/random.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { backUp, restore } from './backup.ts';
import { type Holder, listingCity, standing } from './support.ts';

const HISTORIES = shortOrThorough(1, 6);
const STEPS = 40;

const PLATES = ['AB123CD', 'EF456GH', 'IJ789KL', 'MN012OP', 'QR345ST'] as const;
const AREAS = ['P1', 'P1', 'P1', 'P2', 'S1'] as const;
const SOURCES = ['app1', 'app2'] as const;

/** Some, one page at a time; some seldom; each by pages of another size. */
const HOLDERS = [
  { limit: undefined, everySteps: 1, wholly: true },
  { limit: 1, everySteps: 2, wholly: false },
  { limit: 3, everySteps: 1, wholly: false },
  { limit: 4, everySteps: 7, wholly: true },
  { limit: 2, everySteps: 15, wholly: true },
] as const;

const { configure, importSessionsOf, importSubscriptions, holder, freshHolder, erase } = listingCity(true);
let now = Date.now();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

function pass(ms: number): void {
  now += ms;
  vi.setSystemTime(now);
}

describe('A full list and all deltas after it', () => {
  const seeds = Array.from({ length: HISTORIES }, (_, index) => RUN_SEED + index);
  it.each(seeds)(
    'are a full list taken now, after every step of the history %i',
    async (seed) => {
      const random = new Random(seed);
      const world = beginWorld();
      for (let step = 1; step <= STEPS; step++) {
        await takeStep(random, world, `seed ${seed}, step ${step}`);
      }
      for (const { holder } of world.holders) {
        await holder.refresh();
        // The first may have ended a list that began earlier.
        await holder.refresh();
        expect(standing(holder), `seed ${seed}, at the end`).toEqual(standing(await freshHolder()));
      }
      expect(world.ever.size).toBeGreaterThan(3);
    },
    240_000,
  );
});

interface World {
  readonly holders: readonly HeldList[];
  /** Ids that a full list had at some step. */
  readonly ever: Set<string>;
  hasBackup: boolean;
}

type HeldList = (typeof HOLDERS)[number] & { readonly holder: Holder };

const beginWorld = (): World => ({
  holders: HOLDERS.map((plan) => ({ ...plan, holder: holder(plan.limit) })),
  ever: new Set(),
  hasBackup: false,
});

/** Something changes, some holders ask, and some time passes. */
async function takeStep(random: Random, world: World, context: string): Promise<void> {
  await nextStep(random, world);
  const fresh = await freshHolder(random.oneIn(2) ? undefined : 3);
  for (const id of fresh.entries.keys()) world.ever.add(id);
  for (const held of world.holders.filter(({ everySteps }) => random.oneIn(everySteps))) {
    if (await takesWholeList(held)) {
      expectSame(held, fresh, context);
    }
  }
  pass(random.pick([0, 1, MINUTE_MS, HOUR_MS, 5 * HOUR_MS]));
}

async function nextStep(random: Random, world: World): Promise<void> {
  if (random.oneIn(12)) {
    await backUp();
    world.hasBackup = true;
  } else if (world.hasBackup && random.oneIn(15)) {
    await restore();
  } else {
    await change(random);
  }
}

/** Takes the next answers. @returns whether it has had all of a list that began now: an earlier one is of its own instant */
async function takesWholeList({ holder, wholly }: HeldList): Promise<boolean> {
  const beganEarlier = holder.isInList;
  let more = await holder.step();
  while (more && wholly) more = await holder.step();
  return !more && !beganEarlier;
}

function expectSame({ holder }: HeldList, fresh: Holder, context: string): void {
  expect(standing(holder), context).toEqual(standing(fresh));
  expect(holder.faults, context).toEqual([]);
}

async function change(random: Random): Promise<void> {
  switch (random.below(14)) {
    case 13:
      return erase(random.pick(PLATES));
    case 0:
      return runRetention(env, instant(now));
    case 1:
      await configure(randomSettings(random));
      return;
    case 2:
    case 3:
    case 4:
    case 5: {
      const numbers = ['N1', 'N2', 'N3'].filter(() => random.oneIn(2));
      return importSubscriptions(...numbers.map((number) => randomSubscription(random, number)));
    }
    default: {
      const ids = ['s1', 's2', 's3', 's4', 's5'].filter(() => random.oneIn(3));
      return importSessionsOf(random.pick(SOURCES), ...ids.map((id) => randomSession(random, id)));
    }
  }
}

function randomSettings(random: Random): object {
  switch (random.below(5)) {
    case 0:
      return { services: { subscriptions: random.oneIn(2) } };
    case 1:
      return { sources: [{ code: 'app1', open_session_max_hours: random.pick([1, 24, 72]) }] };
    case 2:
      return { areas: [{ code: 'P1', facility: { offline_minutes: random.pick([1, 720]) } }] };
    case 3:
      return { areas: [{ code: 'S1', name: `Via ${random.below(9)}` }] };
    default:
      return { areas: [{ code: 'P1', facility: { exit_grace_minutes: random.below(60) } }] };
  }
}

const written = (ms: number): string => new Date(now + ms).toISOString();
const point = (random: Random): number =>
  random.pick([-1, 1]) * random.pick([0, MINUTE_MS, HOUR_MS, 23 * HOUR_MS, DAY_MS, 30 * HOUR_MS, 3 * DAY_MS]);

function randomSession(random: Random, session_id: string): object {
  // Once in a while one is said to have ended so long ago that retention takes it at once.
  const isAncient = random.oneIn(15);
  const start = isAncient ? -500 * DAY_MS : point(random);
  const end = start + random.pick([1, HOUR_MS, 26 * HOUR_MS]);
  return {
    session_id,
    plate: random.pick(PLATES),
    area_code: random.pick(AREAS),
    starts_at: written(start),
    ends_at: random.oneIn(4) && !isAncient ? null : written(end),
    cancelled_at: random.oneIn(5) ? written(random.oneIn(4) ? -450 * DAY_MS : point(random)) : null,
  };
}

function randomSubscription(random: Random, subscription_number: string): object {
  const plates = PLATES.filter(() => random.oneIn(3)).map((plate) => ({
    plate,
    ...(random.oneIn(4) && { valid_from: written(point(random)) }),
  }));
  const start = point(random);
  const isSuspended = random.oneIn(5);
  return {
    subscription_number,
    type: 'RES',
    plates,
    approval: random.oneIn(6) ? 'pending' : 'approved',
    areas: random.oneIn(2) ? 'all' : [random.pick(['P1', 'P2', 'S1'])],
    ...(random.oneIn(4) && { authorized_until: written(point(random)) }),
    ...(isSuspended && { suspended_from: written(point(random)) }),
    revoked_at: random.oneIn(6) ? written(random.oneIn(3) ? -2_000 * DAY_MS : point(random)) : null,
    periods: random.oneIn(6)
      ? []
      : [
          { starts_at: written(start), ends_at: written(start + HOUR_MS) },
          { starts_at: written(start + HOUR_MS), ends_at: written(start + random.pick([2, 90]) * HOUR_MS) },
        ],
  };
}
