import { expect, it, vi } from 'vitest';
import { HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { type NaiveSession, naiveCounters } from '../domain/naive-occupancy.ts';
import { Random } from '../domain/random.ts';
import { City } from '../support/city.ts';
import { noSnapshots } from '../support/doubles.ts';
import { RUN_SEED } from '../support/run-form.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, STREET } from '../support/seed.ts';
import { runCron, Service } from '../support/service.ts';

const NOON = Date.UTC(2026, 2, 7, 11);
const SESSIONS = 1_500;
/** By the source's id: one that is patient, one that is not, and one that was switched off. */
const SOURCES = [
  { ...APP_SOURCE, id: 1, code: 'patient', openSessionMaxHours: 72 },
  { ...APP_SOURCE, id: 2, code: 'hasty', openSessionMaxHours: 1 },
  { ...APP_SOURCE, id: 3, code: 'off', openSessionMaxHours: 3, active: false },
];

const random = new Random(RUN_SEED);

function session(): NaiveSession {
  const around = (hours: number) => NOON + (random.below(2 * hours * 60) - hours * 60) * MINUTE_MS;
  const starts_at = around(random.pick([2, 6, 96]));
  const source = random.pick(SOURCES);
  return {
    plate: `P${random.below(60)}`,
    area: 1 + random.below(5),
    source: source.id,
    starts_at,
    ends_at: random.oneIn(4) ? null : starts_at + (1 + random.below(180)) * MINUTE_MS,
    cancelled_at: random.oneIn(6) ? around(3) : null,
    max_hours: source.openSessionMaxHours,
  };
}

const sessions = random.list(SESSIONS, session);

const city = new City({
  ...CITY,
  municipalities: [ROME, { ...ROME, id: 2, code: 'OTHER' }],
  areas: [
    STREET,
    FACILITY,
    { ...STREET, id: 3, code: 'S0', capacity: null },
    { ...STREET, id: 4, code: 'OFF', active: false },
    { ...STREET, id: 5, municipalityId: 2 },
  ],
  sources: [...SOURCES, ...SOURCES.map((source) => ({ ...source, id: source.id + 10, municipalityId: 2 }))],
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

/** The rows that a report should have, by the naive model. */
function naiveRows(areas: readonly number[], source: number | null, at: number) {
  return areas.map((id) => {
    const all = naiveCounters(sessions, id, null, instant(at));
    const own = source === null ? null : naiveCounters(sessions, id, source, instant(at));
    return {
      area: { id },
      active_now: all.now,
      active_after_30: all.after30,
      active_after_60: all.after60,
      ending_within_30: all.within30,
      ending_between_30_60: all.between,
      source_active_now: own?.now ?? null,
      source_active_after_30: own?.after30 ?? null,
      source_active_after_60: own?.after60 ?? null,
    };
  });
}

it(`Reports from the database and from its snapshot count what a naive model counts (seed ${RUN_SEED})`, async () => {
  const path = '/api/v2/parking/reports/active-by-area';
  for (const at of [0, 1, MINUTE_MS, HOUR_MS, -3 * HOUR_MS].map((ms) => NOON + ms)) {
    vi.useFakeTimers({ toFake: ['Date'], now: at });
    await runCron('* * * * *');
    for (const service of [new Service(), new Service({ SNAPSHOTS: noSnapshots() })]) {
      for (const source_id of [null, 1, 2]) {
        for (const [area_type, areas] of [
          ['street', [3, 1]],
          ['facility', [2]],
        ] as const) {
          const { body } = await city.post(path, { area_type, source_id }, {}, service);
          expect(body.rows).toMatchObject(naiveRows(areas, source_id, at));
        }
      }
    }
    vi.useRealTimers();
  }
  expect(naiveCounters(sessions, 1, null, instant(NOON)).now).toBeGreaterThan(5);
});
