import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { snapshotOf } from '../../src/core/snapshots/compute.ts';
import { readMunicipalities } from '../../src/core/snapshots/municipality-rows-table.ts';
import type { Snapshot } from '../../src/core/snapshots/snapshot.ts';
import { readSnapshot } from '../../src/core/snapshots/snapshot-store.ts';
import { HOUR_MS, type Instant, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { type Counters, NO_VEHICLES } from '../../src/domain/occupancy.ts';
import worker from '../../src/worker.ts';
import { type NaiveCounters, type NaiveSession, naiveCounters } from '../domain/naive-occupancy.ts';
import { Random } from '../domain/random.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, STREET, seed } from '../support/seed.ts';

const NOON = Date.UTC(2026, 2, 7, 11);
const SEED = Math.floor(Math.random() * 2 ** 31);
const SESSIONS = 1_500;
const AREAS = [1, 2, 3];
/** By the source's id: one that is patient, one that is not, and one that was switched off. */
const SOURCES = [
  { ...APP_SOURCE, id: 1, code: 'patient', openSessionMaxHours: 72 },
  { ...APP_SOURCE, id: 2, code: 'hasty', openSessionMaxHours: 1 },
  { ...APP_SOURCE, id: 3, code: 'off', openSessionMaxHours: 3, active: false },
];

function session(random: Random): NaiveSession {
  const around = (hours: number) => NOON + (random.below(2 * hours * 60) - hours * 60) * MINUTE_MS;
  const starts_at = around(random.pick([2, 6, 96]));
  const source = random.pick(SOURCES);
  return {
    plate: `P${random.below(60)}`,
    area: random.pick([...AREAS, 4, 5]),
    source: source.id,
    starts_at,
    ends_at: random.oneIn(4) ? null : starts_at + (1 + random.below(180)) * MINUTE_MS,
    cancelled_at: random.oneIn(6) ? around(3) : null,
    max_hours: source.openSessionMaxHours,
  };
}

const naive = ({ now, after30, after60, within30, between }: NaiveCounters): Counters => ({
  activeNow: now,
  activeAfter30: after30,
  activeAfter60: after60,
  endingWithin30: within30,
  endingBetween30And60: between,
});

function expectCounters(snapshot: Snapshot | null | undefined, sessions: NaiveSession[], at: Instant): void {
  expect(snapshot?.areas.map(({ id }) => id).sort()).toEqual(AREAS);
  for (const area of snapshot?.areas ?? []) {
    expect(area.all).toEqual(naive(naiveCounters(sessions, area.id, null, at)));
    for (const { id } of SOURCES) {
      const ofSource = naive(naiveCounters(sessions, area.id, id, at));
      expect(area.bySource[id] ?? NO_VEHICLES).toEqual(ofSource);
    }
  }
}

afterEach(() => vi.useRealTimers());

describe(`Of a random city in the database (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const sessions = random.list(SESSIONS, () => session(random));
  const instants = [0, 1, MINUTE_MS, HOUR_MS, -3 * HOUR_MS].map((ms) => instant(NOON + ms));

  it('every way to the counters leads to those of the naive model', async () => {
    await seed({
      ...CITY,
      municipalities: [ROME, { ...ROME, id: 2, code: 'OTHER' }],
      areas: [
        STREET,
        FACILITY,
        { ...STREET, id: 3, code: 'S0', capacity: null },
        { ...STREET, id: 4, code: 'OFF', active: false },
        { ...STREET, id: 5, municipalityId: 2 },
      ],
      sources: [
        ...SOURCES,
        ...SOURCES.map((source) => ({ ...source, id: source.id + 10, municipalityId: 2 })),
      ],
      parkingSessions: sessions.map((row, index) => ({
        municipalityId: row.area === 5 ? 2 : 1,
        sourceCode: SOURCES.find(({ id }) => id === row.source)?.code ?? '',
        sessionId: String(index),
        areaId: row.area,
        plate: row.plate,
        startsAt: row.starts_at,
        endsAt: row.ends_at,
        cancelledAt: row.cancelled_at,
      })),
    });
    for (const at of instants) {
      const rows = (await readMunicipalities(env.DB, [1], at)).get(1);
      expectCounters(rows && snapshotOf(rows, at, at), sessions, at);

      vi.useFakeTimers({ toFake: ['Date'], now: at });
      await worker.scheduled(createScheduledController({ cron: '* * * * *' }), env);
      expectCounters(await readSnapshot(env.SNAPSHOTS, 'H501', at), sessions, at);
    }
    const now = instants[0] ?? expect.fail('no instant');
    expect(naiveCounters(sessions, 1, null, now).now).toBeGreaterThan(5);
  });
});
