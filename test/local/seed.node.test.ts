import { describe, expect, it } from 'vitest';
import { ACCESS_REASON_CODES } from '../../src/domain/facility-access.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { normalizePlate } from '../../src/domain/plate.ts';
import { RESULT_CODES } from '../../src/domain/purchase-options.ts';
import { SUBSCRIPTION_REASON_CODES } from '../../src/domain/subscription.ts';
import { AREAS, CITIES, vehiclesIn } from '../../tools/local/demo/areas.ts';
import { SOURCES } from '../../tools/local/demo/configuration.ts';
import { type Lines, linesAt, PLATES } from '../../tools/local/demo/plates.ts';
import { ordinaryTraffic } from '../../tools/local/demo/traffic.ts';

const NOON = Date.parse('2026-03-10T11:00:00Z');
const keysOf = ({ sessions, subscriptions }: Lines): string[] => [
  ...sessions.map(({ city, source, line }) => `${city} ${source} ${line.session_id}`),
  ...subscriptions.map(({ city, line }) => `${city} ${line.subscription_number}`),
];

describe('The plates of the seed', () => {
  it('show every reason of a diagnosis and of a gate, and every result of the options query', () => {
    const shown = PLATES.flatMap(({ shows = {} }) => Object.entries(shows));
    const codesOf = (question: RegExp) =>
      new Set(shown.flatMap(([asked, code]) => (question.test(asked) ? [code] : [])));
    expect(codesOf(/^check/)).toEqual(new Set(SUBSCRIPTION_REASON_CODES));
    expect(codesOf(/^(entry|exit) /)).toEqual(new Set(ACCESS_REASON_CODES));
    expect(codesOf(/^options$/)).toEqual(new Set(RESULT_CODES));
  });

  it('are normalized, and none of an ordinary vehicle', () => {
    expect(new Set(PLATES.map(({ plate }) => plate)).size).toBe(PLATES.length);
    for (const { plate } of PLATES) {
      expect(normalizePlate(plate)).toBe(plate);
      expect(plate).toMatch(/[IOQU]/);
    }
  });
});

describe('The ordinary traffic', () => {
  const now = NOON;
  const { sessions, subscriptions } = ordinaryTraffic(now);
  const running = sessions.filter(
    ({ line }) =>
      Date.parse(line.starts_at) <= now && (line.ends_at === null || now < Date.parse(line.ends_at)),
  );

  it('fills each area with as many vehicles as are there, each another one', () => {
    const vehicles = AREAS.map(
      ({ municipality_code, area_code }) =>
        running.filter(({ city, line }) => city === municipality_code && line.area_code === area_code).length,
    );
    expect(vehicles).toEqual(AREAS.map(vehiclesIn));
    const plates = running.map(({ line }) => line.plate);
    expect(plates.length).toBeGreaterThan(9_000);
    const subscribed = subscriptions.flatMap(({ line }) => line.plates.map(({ plate }) => plate));
    expect(new Set([...plates, ...subscribed]).size).toBe(plates.length + subscribed.length);
    for (const plate of plates) expect(normalizePlate(plate)).toBe(plate);
  });

  it('is of every source of every city, with open-ended sessions', () => {
    for (const city of CITIES) {
      const ofCity = running.filter((session) => session.city === city);
      expect(new Set(ofCity.map(({ source }) => source))).toEqual(new Set(SOURCES.map(({ code }) => code)));
      expect(ofCity.some(({ line }) => line.ends_at === null)).toBe(true);
    }
  });
});

it('A later import replaces lines under their keys, and few of them within minutes', () => {
  const at = (later: number): Lines => ordinaryTraffic(NOON + later);
  for (const later of [5 * MINUTE_MS, 7 * HOUR_MS, 400 * DAY_MS]) {
    expect(keysOf(at(later))).toEqual(keysOf(at(0)));
    expect(keysOf(linesAt(NOON + later, PLATES))).toEqual(keysOf(linesAt(NOON, PLATES)));
  }
  expect(at(0)).toEqual(at(0));
  const before = new Set(at(0).sessions.map((session) => JSON.stringify(session)));
  const changed = at(5 * MINUTE_MS).sessions.filter((session) => !before.has(JSON.stringify(session)));
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.length).toBeLessThan(1_000);
});
