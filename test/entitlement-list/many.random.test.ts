import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/retention/run-retention.ts';
import { Random } from '../domain/random.ts';
import { issueCredential } from '../support/credential.ts';
import { RUN_SEED } from '../support/run-seed.ts';
import { Service } from '../support/service.ts';
import { backUp, restore } from './backup.ts';
import {
  CITY_DOCUMENT,
  configure,
  type EntryLine,
  Holder,
  importLines,
  SUBSCRIPTIONS,
  sessionsOf,
} from './support.ts';

const HISTORIES = 40;
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
  for (const seed of Array.from({ length: HISTORIES }, (_, index) => 7_000 + index)) {
    it(`are a full list taken now, after every step of the history ${seed}`, async () => {
      const random = new Random(seed);
      const service = new Service();
      const place = await city(service, `C${seed}`);
      const path = `/api/v2/facilities/P1/entitlement-list`;
      const caller = await issueCredential({ tenantId: place.tenant }, [place.id]);
      const { headers } = caller;
      const holders = HOLDERS.map((plan) => ({
        ...plan,
        holder: new Holder(service, headers, plan.limit, path),
      }));
      /** Ids that a full list had at some step. */
      const ever = new Set<string>();
      let backup = 0;

      for (let step = 1; step <= STEPS; step++) {
        const told = `seed ${seed}, step ${step}`;
        if (random.oneIn(12)) {
          await backUp();
          backup = step;
        } else if (backup > 0 && random.oneIn(15)) {
          await restore();
        } else {
          await change(random, service, headers, place.code);
        }
        const fresh = new Holder(service, headers, random.oneIn(2) ? undefined : 3, path);
        await fresh.refresh();
        for (const id of fresh.entries.keys()) ever.add(id);
        for (const { holder, everySteps, wholly } of holders) {
          if (!random.oneIn(everySteps)) continue;
          // A list that began in an earlier step is of that one's instant: what changed since comes with the next.
          const beganEarlier = holder.isInList;
          let more = await holder.step();
          while (more && wholly) more = await holder.step();
          if (more || beganEarlier) continue;
          expect(standing(holder), told).toEqual(standing(fresh));
          // Whose list takes several steps may be told that something is no more which only its own instant had.
          const strange = holder.removed.filter((id) => wholly && !ever.has(id) && !holder.seen.has(id));
          expect(strange, told).toEqual([]);
        }
        pass(random.pick([0, 1, MINUTE_MS, HOUR_MS, 5 * HOUR_MS]));
      }
      for (const { holder } of holders) {
        await holder.refresh();
        // The first may have ended a list that began earlier.
        await holder.refresh();
        const fresh = new Holder(service, headers, undefined, path);
        await fresh.refresh();
        expect(standing(holder), `seed ${seed}, at the end`).toEqual(standing(fresh));
      }
      expect(ever.size).toBeGreaterThan(3);
    }, 240_000);
  }
});

/** What counts of what is held, at the instant of the holder's list: without what has ended, each interval from then on. */
function standing({ entries, header }: Holder): Record<string, unknown> {
  const at = Date.parse(header?.as_of ?? '');
  const counted = [...entries.values()].flatMap((entry): EntryLine[] => {
    if (entry.kind === 'session') {
      const cancelled = entry.cancelled_at !== undefined && Date.parse(entry.cancelled_at) <= at;
      return cancelled || Date.parse(entry.until) <= at - DAY_MS ? [] : [entry];
    }
    const valid = entry.valid
      .filter(({ until }) => until === null || Date.parse(until) > at)
      .map(({ from, until }) => ({ from: Date.parse(from) < at ? 'before' : from, until }));
    return valid.length === 0 ? [] : [{ ...entry, valid }];
  });
  // What began by now began before: the two lists may be of different milliseconds.
  return Object.fromEntries(
    counted.map((entry) => [
      entry.id,
      entry.kind === 'session'
        ? entry
        : {
            ...entry,
            valid: entry.valid.map(({ from, until }) => ({
              from: from === 'before' || Date.parse(from) <= at ? 'now' : from,
              until,
            })),
          },
    ]),
  );
}

async function city(service: Service, code: string): Promise<{ id: number; tenant: number; code: string }> {
  const [municipality] = CITY_DOCUMENT.municipalities;
  await configure(service, {
    ...CITY_DOCUMENT,
    municipalities: [{ ...municipality, code }],
  });
  const place = await env.DB.prepare('select id, tenant_id as tenant from municipalities where code = ?')
    .bind(code)
    .first<{ id: number; tenant: number }>();
  if (place === null) throw new Error('there is no city');
  return { ...place, code };
}

async function change(
  random: Random,
  service: Service,
  headers: Record<string, string>,
  code: string,
): Promise<void> {
  switch (random.below(12)) {
    case 0:
      return runRetention(env, instant(now));
    case 1:
      return configure(service, { municipalities: [{ code, ...randomSettings(random) }] });
    case 2:
    case 3:
    case 4:
    case 5: {
      const numbers = ['N1', 'N2', 'N3'].filter(() => random.oneIn(2));
      return importLines(
        service,
        headers,
        SUBSCRIPTIONS,
        numbers.map((number) => randomSubscription(random, number)),
      );
    }
    default: {
      const ids = ['s1', 's2', 's3', 's4', 's5'].filter(() => random.oneIn(3));
      return importLines(
        service,
        headers,
        sessionsOf(random.pick(SOURCES)),
        ids.map((id) => randomSession(random, id)),
      );
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
  // Once in a while one is told to have ended so long ago that retention takes it at once.
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
