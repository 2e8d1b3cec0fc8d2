import { describe, expect, it } from 'vitest';
import { capacityFigures, capacityTotals } from '../../src/domain/capacity.ts';
import { instant, MINUTE_MS } from '../../src/domain/instant.ts';
import {
  type Counters,
  countVehicles,
  endingWithin60,
  NO_VEHICLES,
  type Stay,
  sumOf,
  validTime,
} from '../../src/domain/occupancy.ts';
import { NOON } from './fixtures.ts';
import { type NaiveCounters, type NaiveSession, naiveCounters } from './naive-occupancy.ts';
import { Random } from './random.ts';

/** A city a seed. A failure names its seed. */
const CITIES = 400;
const AREAS = [1, 2, 3];
const SOURCES = [1, 2];

/** Few plates and times on the bounds of the horizons, so that sessions meet. */
function session(random: Random): NaiveSession {
  const moment = () =>
    NOON +
    random.pick([-90, -60, -30, -1, 0, 1, 29, 30, 31, 59, 60, 61, 90]) * MINUTE_MS +
    random.below(3) -
    1;
  const starts_at = moment();
  return {
    plate: random.pick(['A', 'B', 'C', 'D']),
    area: random.pick([...AREAS, 4]),
    source: random.pick(SOURCES),
    starts_at,
    ends_at: random.oneIn(4) ? null : Math.max(starts_at + 1, moment()),
    cancelled_at: random.oneIn(4) ? moment() : null,
    max_hours: random.pick([1, 2]),
  };
}

const stayOf = (row: NaiveSession): Stay => ({
  vehicle: row.plate,
  areaId: row.area,
  sourceId: row.source,
  ...validTime({
    startsAt: instant(row.starts_at),
    endsAt: row.ends_at === null ? null : instant(row.ends_at),
    cancelledAt: row.cancelled_at === null ? null : instant(row.cancelled_at),
    openSessionMaxHours: row.max_hours,
  }),
});

const naive = ({ now, after30, after60, within30, between }: NaiveCounters): Counters => ({
  activeNow: now,
  activeAfter30: after30,
  activeAfter60: after60,
  endingWithin30: within30,
  endingBetween30And60: between,
});

describe(`The counters of ${CITIES} random cities, a seed each,`, () => {
  const cities = Array.from({ length: CITIES }, (_, index) => {
    const seed = `seed ${index + 1}`;
    const random = new Random(index + 1);
    const sessions = random.list(random.below(14), () => session(random));
    return { seed, random, sessions, counted: countVehicles(AREAS, sessions.map(stayOf), NOON) };
  });

  it('are those of a model that asks every vehicle at every horizon', () => {
    for (const { seed, sessions, counted } of cities) {
      for (const area of AREAS) {
        const found = counted.get(area);
        expect(found?.all, seed).toEqual(naive(naiveCounters(sessions, area, null, NOON)));
        for (const source of SOURCES) {
          const ofSource = naive(naiveCounters(sessions, area, source, NOON));
          expect(found?.bySource.get(source) ?? NO_VEHICLES, seed).toEqual(ofSource);
        }
      }
    }
  });

  it('hold what they must whatever the city', () => {
    for (const { seed, sessions, counted } of cities) {
      for (const [area, { all, bySource }] of counted) {
        const plates = new Set(sessions.filter((row) => row.area === area).map((row) => row.plate));
        expect(all.activeNow, seed).toBeLessThanOrEqual(plates.size);
        expect(endingWithin60(all), seed).toBe(all.endingWithin30 + all.endingBetween30And60);
        expect(endingWithin60(all), seed).toBeLessThanOrEqual(all.activeNow);
        expect(all.activeNow - all.endingWithin30, seed).toBeLessThanOrEqual(all.activeAfter30);
        const sources = [...bySource.values()];
        expect(sumOf(sources).activeNow, seed).toBeGreaterThanOrEqual(all.activeNow);
        for (const ofSource of sources) expect(ofSource.activeNow, seed).toBeLessThanOrEqual(all.activeNow);
      }
    }
  });

  it('do not change with the order of the sessions, nor when one is reported twice', () => {
    for (const { seed, sessions, counted } of cities) {
      const again = [...sessions, ...sessions].reverse().map(stayOf);
      for (const [area, { all }] of countVehicles(AREAS, again, NOON)) {
        expect(all, seed).toEqual(counted.get(area)?.all);
      }
    }
  });

  it('give capacity totals that are the sums of the configured rows', () => {
    for (const { seed, random, counted } of cities) {
      const areas = [...counted.values()].map(({ all }) => ({
        capacity: random.oneIn(3) ? null : random.below(4),
        counters: all,
      }));
      const rows = areas.map(capacityFigures).filter((row) => row !== null);
      const totals = capacityTotals(areas);
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
      expect(totals.availableNow, seed).toBe(sum(rows.map((row) => row.availableNow)));
      expect(totals.excessNow, seed).toBe(sum(rows.map((row) => row.excessNow)));
      expect(totals.spacesCount + totals.excessNow, seed).toBe(totals.activeNow + totals.availableNow);
      expect(totals.configuredCount + totals.unconfiguredCount, seed).toBe(areas.length);
    }
  });

  it('meet vehicles that stay, that come, and that leave at each horizon', () => {
    const all = sumOf(cities.flatMap(({ counted }) => [...counted.values()].map((area) => area.all)));
    for (const vehicles of Object.values(all)) expect(vehicles).toBeGreaterThan(CITIES / 10);
  });
});
