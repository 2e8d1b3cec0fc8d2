import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { isValidSession } from '../../src/domain/parking-session.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { municipalityCodes, readAreas, vehiclesIn } from '../../tools/local/demo/areas.ts';
import { SOURCES } from '../../tools/local/demo/configuration.ts';
import type { SourcedSession } from '../../tools/local/demo/lines.ts';
import { plateOf } from '../../tools/local/demo/plates.ts';
import { ordinarySubscriptions } from '../../tools/local/demo/residents.ts';
import { ordinarySessions } from '../../tools/local/demo/sessions.ts';
import { SHOWCASE } from '../../tools/local/demo/showcase.ts';
import { sessionOf, time } from './facts.ts';

const areas = readAreas();
const sessionsAt = (now: Instant) => ordinarySessions(areas, now);
const idOf = ({ municipalityCode, sourceCode, line }: SourcedSession) =>
  `${municipalityCode} ${sourceCode} ${line.session_id}`;

/** A Tuesday, in Rome one hour ahead of UTC. */
const TUESDAY_NOON = time('2026-03-10T11:00:00Z');
const MOMENTS = {
  'a Tuesday noon': TUESDAY_NOON,
  'a Tuesday night': time('2026-03-10T02:07:13Z'),
  'a Saturday afternoon': time('2026-03-14T15:10:00Z'),
  'a summer evening': time('2026-07-02T19:59:59Z'),
};

/** The plates that are parked in each area at an instant, by municipality and area. */
function parkedPlates(now: Instant): Map<string, string[]> {
  const plates = new Map<string, string[]>(
    areas.map((area) => [`${area.municipalityCode} ${area.code}`, []]),
  );
  for (const { municipalityCode, sourceCode, line } of sessionsAt(now)) {
    if (isValidSession(sessionOf(line, sourceCode, 24), now)) {
      plates.get(`${municipalityCode} ${line.area_code}`)?.push(line.plate);
    }
  }
  return plates;
}

describe.each(Object.entries(MOMENTS))('The sessions of %s', (_, now) => {
  const parked = parkedPlates(now);
  const parkedIn = (area: (typeof areas)[number]) =>
    parked.get(`${area.municipalityCode} ${area.code}`) ?? [];

  it('are as many in an area as the vehicles that are there', () => {
    expect(areas.filter((area) => area.vehiclesObserved !== null).length).toBeGreaterThan(40);
    expect(areas.map((area) => [area.code, parkedIn(area).length])).toEqual(
      areas.map((area) => [area.code, vehiclesIn(area)]),
    );
  });

  it('are of another vehicle each', () => {
    const all = [...parked.values()].flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(9_000);
  });

  it('are of every source of every city, and open-ended ones are among them', () => {
    for (const city of municipalityCodes(areas)) {
      const ofCity = sessionsAt(now).filter(({ municipalityCode }) => municipalityCode === city);
      expect(new Set(ofCity.map(({ sourceCode }) => sourceCode))).toEqual(
        new Set(SOURCES.map(({ code }) => code)),
      );
      expect(ofCity.some(({ line }) => line.ends_at === null)).toBe(true);
    }
  });

  it('have plates as normalization leaves them, and none of the showcase', () => {
    const special = new Set(SHOWCASE.map(({ plate }) => plate));
    for (const { line } of sessionsAt(now)) {
      expect(normalizePlate(line.plate)).toBe(line.plate);
      expect(special.has(line.plate)).toBe(false);
    }
  });
});

describe('The sessions', () => {
  it('are the same at every start', () => {
    expect(sessionsAt(TUESDAY_NOON)).toEqual(sessionsAt(TUESDAY_NOON));
  });

  it('keep their ids as time goes on, so that importing them again replaces them', () => {
    const ids = sessionsAt(TUESDAY_NOON).map(idOf).toSorted();
    expect(new Set(ids).size).toBe(ids.length);
    for (const later of [5 * MINUTE_MS, 7 * HOUR_MS, 10 * DAY_MS]) {
      expect(
        sessionsAt(instant(TUESDAY_NOON + later))
          .map(idOf)
          .toSorted(),
      ).toEqual(ids);
    }
  });

  it('change little within the minutes from one refresh to the next', () => {
    const before = new Set(sessionsAt(TUESDAY_NOON).map(({ line }) => JSON.stringify(line)));
    const after = sessionsAt(instant(TUESDAY_NOON + 5 * MINUTE_MS)).map(({ line }) => JSON.stringify(line));
    const changed = after.filter((line) => !before.has(line));
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(1_000);
  });

  it('number some ten thousand', () => {
    expect(sessionsAt(TUESDAY_NOON).length).toBeGreaterThan(10_000);
    expect(sessionsAt(TUESDAY_NOON).length).toBeLessThan(14_000);
  });
});

describe('The plates', () => {
  it('are Italian in form and another one for every number', () => {
    const numbers = Array.from({ length: 50_000 }, (_, index) => index * 4_000);
    const plates = numbers.map(plateOf);
    expect(new Set(plates).size).toBe(plates.length);
    for (const plate of plates) expect(plate).toMatch(/^[A-HJ-NPR-TV-Z]{2}\d{3}[A-HJ-NPR-TV-Z]{2}$/);
  });

  it('of the ordinary subscriptions belong to no session', () => {
    const parked = new Set(sessionsAt(TUESDAY_NOON).map(({ line }) => line.plate));
    const subscribed = ordinarySubscriptions(municipalityCodes(areas), TUESDAY_NOON).flatMap(({ line }) =>
      line.plates.map(({ plate }) => plate),
    );
    expect(subscribed.length).toBeGreaterThan(100);
    expect(subscribed.filter((plate) => parked.has(plate))).toEqual([]);
  });
});
