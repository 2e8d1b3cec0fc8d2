import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import {
  AT_CENTRO,
  beginAfterTheRun,
  FEATURES,
  minuteRuns,
  NOW,
  OCCUPANCY,
  PUBLICATION,
  put,
  seedCities,
  withoutDatabase,
} from './city.ts';

beforeAll(seedCities);
beginAfterTheRun();

const get = async (path: string) => (await withoutDatabase().call(path)).body;

/** What each face shows of the facility, from the same snapshot. */
async function faces() {
  const [occupancy, publication, features] = [
    await get(OCCUPANCY),
    await get(PUBLICATION),
    await get(FEATURES),
  ];
  // On a map it looks as anywhere else.
  const areas = occupancy.areas as Record<string, unknown>[];
  const { latitude, longitude, ...inList } = areas[0] ?? {};
  expect(features).toMatchObject({
    data_quality: occupancy.data_quality,
    features: [{ geometry: { coordinates: [longitude, latitude] }, properties: inList }, {}],
  });
  const area = areas.find(({ code }) => code === 'P1') ?? expect.fail('no area');
  const { parkingSite } = publication.parkingPublicationLight as { parkingSite: object[] };
  const [site] = parkingSite;
  const answer: Record<string, unknown> & { readonly areas: typeof areas } = { ...occupancy, areas };
  return { occupancy: answer, area, site };
}

const NO_FIGURES = {
  available_now: null,
  available_after_30: null,
  available_after_60: null,
  occupancy_percent: null,
};
const SITE = {
  _id: 'H501:P1',
  type: { value: 'carPark' },
  name: 'Parcheggio Centro',
  numberOfSpaces: 4,
  locationAndDimension: { coordinatesForDisplay: AT_CENTRO },
};

describe('A closed area', () => {
  it('is closed on every face until the instant of the counters has come to its end', async () => {
    const closed = await put({ areas: [{ code: 'P1', closed_until: '2026-03-07T12:01:00+01:00' }] });
    expect(closed.status).toBe(200);
    vi.setSystemTime(NOW + MINUTE_MS - 1);
    await minuteRuns();
    // It is judged at the counters' instant, whenever the answer is given.
    vi.setSystemTime(NOW + MINUTE_MS + 1);
    const { area, site } = await faces();
    expect(area).toMatchObject({
      ...NO_FIGURES,
      capacity: 4,
      status: 'closed',
      closed_until: '2026-03-07T12:01:00+01:00',
    });
    expect(site).not.toHaveProperty('availableSpaces');
    expect(site).toHaveProperty('numberOfSpaces', 4);
    vi.setSystemTime(NOW + MINUTE_MS);
    await minuteRuns();
    const open = await faces();
    expect(open.area).toMatchObject({ available_now: 1, status: 'almost_full' });
    expect(open.site).toHaveProperty('availableSpaces', 1);
    await put({ areas: [{ code: 'P1', closed_until: null }] });
  });
});

describe('A city whose sources have all stopped', () => {
  const at = async (afterMs: number) => {
    vi.setSystemTime(NOW + afterMs);
    return faces();
  };
  const STALE = 15 * MINUTE_MS;

  it('is good, degraded, and past the age that the municipality allows outdated, on every face', async () => {
    const limit = 20 * MINUTE_MS;
    await put({ public_max_age_minutes: 20 });
    // The runs go on every minute, and find what was there before.
    vi.setSystemTime(NOW + STALE);
    await minuteRuns();
    const good = await at(STALE);
    expect(good.occupancy).toMatchObject({
      data_quality: 'good',
      as_of: '2026-03-07T12:15:00+01:00',
      last_source_success_at: '2026-03-07T12:00:00+01:00',
    });
    expect(good.area).toMatchObject({ available_now: 1, status: 'almost_full' });
    expect(good.site).toHaveProperty('availableSpaces', 1);

    const degraded = await at(STALE + 1);
    expect(degraded.occupancy).toMatchObject({
      data_quality: 'degraded',
      last_source_success_at: '2026-03-07T12:00:00+01:00',
    });
    expect(degraded.area).toEqual(good.area);
    expect(degraded.site).toEqual(good.site);

    vi.setSystemTime(NOW + limit);
    await minuteRuns();
    const last = await at(limit);
    expect(last.occupancy.data_quality).toBe('degraded');
    expect(last.area).toMatchObject({ available_now: expect.any(Number), capacity: 4 });
    expect(last.site).toHaveProperty('availableSpaces');

    const outdated = await at(limit + 1);
    expect(outdated.occupancy).toMatchObject({
      data_quality: 'outdated',
      as_of: last.occupancy.as_of,
      last_source_success_at: '2026-03-07T12:00:00+01:00',
    });
    expect(new Set(outdated.occupancy.areas.map(({ status }) => status))).toEqual(new Set(['unknown']));
    // What does not age stays.
    expect(outdated.area).toEqual({ ...last.area, ...NO_FIGURES, status: 'unknown' });
    expect(outdated.site).toEqual({ ...SITE, lastUpdate: last.occupancy.as_of });
    await put({ public_max_age_minutes: 60 });
  });
});

describe('Whether payment is due', () => {
  // 7 March 2026 is a Saturday.
  it.each([
    ['always', null, [], true, null],
    ['not on a holiday', 'sat', ['2026-03-07'], false, '2026-03-14T08:00:00+01:00'],
  ] as const)(
    'is said on every face, at the instant of the counters: %s',
    async (_, day, holidays, due, changesAt) => {
      const paid_hours = day && [{ days: [day], from: '08:00', to: '12:01' }];
      await put({ holidays, areas: [{ code: 'P1', paid_hours }] });
      await minuteRuns();
      // The answer is given when payment has ended.
      vi.setSystemTime(NOW + MINUTE_MS + 1);
      const { occupancy } = await faces();
      expect(occupancy.areas[0]).toMatchObject({ payment_due: due, payment_due_changes_at: changesAt });
      await put({ holidays: [], areas: [{ code: 'P1', paid_hours: null }] });
    },
  );
});
