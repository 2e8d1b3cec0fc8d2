import { describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { changesRecorded, versions } from './past-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const NOW = Date.UTC(2026, 2, 10, 11);
const city = new City(CITY, { now: NOW, anew: true });

const importInto = (path: string, lines: readonly object[], service = city.service) =>
  send(service, path, file(lines), city.headers);
const sessions = (...lines: readonly object[]) => importInto(SESSIONS, lines);
const subscriptions = (...lines: readonly object[]) => importInto(SUBSCRIPTIONS, lines);

/** What each version of a kind says of a property, and its interval. */
const told = async (kind: 'session' | 'subscription' | 'span', property: string) =>
  (await versions(kind)).map(({ says, recorded_at, replaced_at }) => [
    says[property],
    recorded_at,
    replaced_at,
  ]);

describe('The versions of a session', () => {
  it('are one a change, and none for what changes nothing', async () => {
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 2 }));
    await sessions(aSessionLine({ revision: 1, plate: 'OLD' }));
    // One that is only raised counts from then on.
    expect(countsOf(await sessions(aSessionLine({ revision: 5 })))).toMatchObject({ unchanged: 1 });
    await sessions(aSessionLine({ revision: 4, plate: 'OLD' }));
    vi.setSystemTime(NOW + MINUTE_MS);
    await sessions(aSessionLine({ cancelled_at: '2026-03-10T12:30:00+01:00' }));
    expect(await told('session', 'cancelled_at')).toEqual([
      [undefined, NOW, NOW + MINUTE_MS],
      [NOW + 30 * MINUTE_MS, NOW + MINUTE_MS, null],
    ]);
    expect(await changesRecorded()).toEqual([NOW, NOW + MINUTE_MS]);
  });

  it.each([
    ['plate', { plate: 'NEW' }, 'NEW'],
    ['area_id', { area_code: 'P1' }, 2],
    ['ends_at', { ends_at: null }, undefined],
  ])('are two after a change of %s', async (property, changed, value) => {
    await sessions(aSessionLine());
    expect(countsOf(await sessions(aSessionLine(changed)))).toMatchObject({ updated: 1 });
    expect(await told('session', property)).toEqual([
      [expect.anything(), NOW, NOW + 1],
      [value, NOW + 1, null],
    ]);
  });

  it('never go back in time, though a clock does, and no two changes have one instant', async () => {
    for (const [index, at] of [NOW, NOW - MINUTE_MS, NOW + MINUTE_MS].entries()) {
      vi.setSystemTime(at);
      await sessions(aSessionLine({ session_id: `s-${index}` }));
    }
    const instants = [NOW, NOW + 1, NOW + MINUTE_MS];
    expect(await changesRecorded()).toEqual(instants);
    expect((await versions('session')).map(({ recorded_at }) => recorded_at)).toEqual(instants);
  });

  it('have the instant at which their batch was stored, not that of the call', async () => {
    const DB = watchedDb({
      after: (sql) => {
        // The second batch comes a minute later.
        if (storesLines(sql)) vi.setSystemTime(Date.now() + MINUTE_MS);
      },
    });
    const lines = Array.from({ length: 700 }, (_, index) => aSessionLine({ session_id: `t-${index}` }));
    await importInto(SESSIONS, lines, new Service({ DB }));
    const instants = (await versions('session')).map(({ recorded_at }) => recorded_at);
    expect([instants[0], instants.at(-1)]).toEqual([NOW, NOW + MINUTE_MS]);
  });
});

it('A file of sessions sent again writes nothing but the end of its import', async () => {
  const written: string[] = [];
  const after = (sql: string, { rows_written }: D1Meta) => {
    if (rows_written > 0) written.push(/"(\w+)"/.exec(sql)?.[1] ?? sql);
  };
  const service = new Service({ DB: watchedDb({ after }) });
  await importInto(SESSIONS, [aSessionLine()]);
  await importInto(SESSIONS, [aSessionLine()], service);
  expect(written.filter((table) => table !== 'calls')).toEqual(['imports']);
});

const DAY = '2026-03-01T00:00:00Z';

describe('The versions of a subscription', () => {
  it.each([
    { approval: 'pending' },
    { suspended_from: DAY, suspended_until: '2026-03-02T00:00:00Z' },
    { revoked_at: DAY },
    { areas: ['P1', 'S1'] },
    { periods: [] },
  ])('are two after a change of %o, and none more for the same again', async (change) => {
    await subscriptions(aSubscriptionLine());
    expect(countsOf(await subscriptions(aSubscriptionLine(change)))).toMatchObject({ updated: 1 });
    await subscriptions(aSubscriptionLine(change));
    expect(await told('subscription', 'number')).toEqual([
      ['R-1', NOW, NOW + 1],
      ['R-1', NOW + 1, null],
    ]);
    expect(await told('span', 'plate')).toEqual([['AB123CD', NOW, null]]);
  });

  const BEFORE = ['AB123CD', NOW, null];
  const LEFT = ['AB123CD', NOW, NOW + 1];
  it.each([
    ['comes', [{ plate: 'AB123CD' }, { plate: 'NEW' }], [BEFORE, ['NEW', NOW + 1, null]]],
    ['goes', [], [LEFT]],
    ['has another validity', [{ plate: 'AB123CD', valid_from: DAY }], [LEFT, ['AB123CD', NOW + 1, null]]],
  ])('are those of the plate alone, where a plate %s', async (_, plates, spans) => {
    await subscriptions(aSubscriptionLine());
    await subscriptions(aSubscriptionLine({ plates }));
    expect(await told('span', 'plate')).toEqual(spans);
    expect(await told('subscription', 'number')).toEqual([['R-1', NOW, null]]);
  });
});

it('One plate more on a fleet’s subscription costs a few rows, whatever has been known of the others', async () => {
  const FLEET = Array.from({ length: 180 }, (_, index) => ({ plate: `FLEET${index}` }));
  for (const month of [1, 2, 3]) {
    await subscriptions(aSubscriptionLine({ plates: FLEET, authorized_from: `2026-0${month}-01T00:00:00Z` }));
  }
  const change = { authorized_from: DAY, plates: [...FLEET, { plate: 'NEW' }] };
  const cost = { read: 0, written: 0 };
  const after = (_: string, meta: D1Meta) => {
    cost.read += meta.rows_read;
    cost.written += meta.rows_written;
  };
  await importInto(SUBSCRIPTIONS, [aSubscriptionLine(change)], new Service({ DB: watchedDb({ after }) }));
  expect(cost.written).toBeLessThanOrEqual(16);
  // Its plates are looked for thrice, each by an index.
  expect(cost.read).toBeLessThanOrEqual(7 * FLEET.length);
});
