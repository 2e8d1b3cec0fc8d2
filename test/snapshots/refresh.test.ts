import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import { packKey } from '../../src/snapshots/packed-format.ts';
import { readTogether } from '../../src/snapshots/refresh.ts';
import { readSnapshot } from '../../src/snapshots/snapshot-store.ts';
import worker from '../../src/worker.ts';
import { databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { APP_SOURCE, CITY, ROME, STREET, seed } from '../support/seed.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
/** The last instant that the service can hold is earlier. */
const BROKEN_ENDS_AT = 8.64e15 + 1;

/** Codes that share a pack with Rome's. */
const [NEIGHBOUR = '', ANOTHER = ''] = Array.from({ length: 500 }, (_, index) => `N${index}`).filter(
  (code) => packKey(code) === packKey('H501'),
);

const session = { municipalityId: 1, sourceCode: 'app1', areaId: 1, startsAt: NOW - HOUR_MS };

beforeAll(() =>
  seed({
    ...CITY,
    municipalities: [
      ROME,
      { ...ROME, id: 2, code: NEIGHBOUR },
      { ...ROME, id: 3, code: 'OFF', active: false },
      { ...ROME, id: 4, code: ANOTHER, reportEnabled: false },
    ],
    areas: [STREET, { ...STREET, id: 2, municipalityId: 2 }],
    sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, municipalityId: 2 }],
    parkingSessions: [{ ...session, sessionId: 'a', plate: 'A', endsAt: NOW + 10 * HOUR_MS }],
  }),
);

beforeEach(async () => {
  const { keys } = await env.SNAPSHOTS.list();
  await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
});
afterEach(() => vi.restoreAllMocks());

const run = (at = NOW, replaced: Partial<Env> = {}) =>
  worker.scheduled(createScheduledController({ cron: '* * * * *', scheduledTime: new Date(at) }), {
    ...env,
    ...replaced,
  });
const stored = (code: string, at = NOW) => readSnapshot(env.SNAPSHOTS, code, instant(at));
const logged = (log: { mock: { calls: unknown[][] } }) =>
  log.mock.calls.map(([line]) => JSON.parse(String(line)));

/** Makes what is read of the second municipality impossible, until it is mended. */
const breakNeighbour = () =>
  seed({
    parkingSessions: [
      { ...session, municipalityId: 2, areaId: 2, sessionId: 'x', plate: 'BROKENX', endsAt: BROKEN_ENDS_AT },
    ],
  });
const mendNeighbour = () => env.DB.prepare('delete from parking_sessions where municipality_id = 2').run();

describe('The minute’s run', () => {
  it('puts every active municipality into KV, one without areas and one without the report too', async () => {
    await run();
    expect((await stored('H501'))?.areas[0]?.all.activeNow).toBe(1);
    expect((await stored(NEIGHBOUR))?.areas[0]?.all.activeNow).toBe(0);
    expect(await stored(ANOTHER)).toMatchObject({ areas: [], municipality: { reportEnabled: false } });
    expect(await stored('OFF')).toBeNull();
  });

  it('dates every snapshot by the minute that it was fired for', async () => {
    await run(NOW + 7);
    expect((await stored('H501'))?.at).toBe(NOW + 7);
  });

  it('rewrites what has not changed, or it would grow too old', async () => {
    await run();
    await run(NOW + MINUTE_MS);
    expect((await stored('H501', NOW + 180_000))?.at).toBe(NOW + MINUTE_MS);
  });

  it('goes on past a municipality that fails, leaves it its older snapshot, and says so', async () => {
    await run();
    await breakNeighbour();
    const errors = vi.spyOn(console, 'error');
    await expect(run(NOW + MINUTE_MS)).rejects.toThrow(AggregateError);
    await mendNeighbour();
    expect((await stored('H501', NOW + MINUTE_MS))?.at).toBe(NOW + MINUTE_MS);
    expect((await stored(NEIGHBOUR, NOW + MINUTE_MS))?.at).toBe(NOW);
    expect(logged(errors)).toMatchObject([{ event: 'snapshot_failed', municipality_codes: [NEIGHBOUR] }]);
    expect(JSON.stringify(logged(errors))).not.toContain('BROKENX');
  });

  it('writes nothing for one that fails and had none: never zeros', async () => {
    await breakNeighbour();
    await expect(run()).rejects.toThrow(AggregateError);
    await mendNeighbour();
    expect(await stored('H501')).not.toBeNull();
    expect(await stored(NEIGHBOUR)).toBeNull();
  });

  it('reads its municipalities one by one when they cannot be read together', async () => {
    let batches = 0;
    const DB = databaseDouble({
      around: async (read) => {
        const result = await read();
        // The list is no batch; the first batch has all of them, the second one Rome alone.
        batches += Array.isArray(result) ? 1 : 0;
        if (Array.isArray(result) && batches <= 2) throw new Error('the result is too large');
        return result;
      },
    });
    await expect(run(NOW, { DB })).rejects.toThrow(AggregateError);
    expect(await stored('H501')).toBeNull();
    expect(await stored(NEIGHBOUR)).not.toBeNull();
  });

  it('fails, and leaves all snapshots as they were, when the database is away', async () => {
    await run();
    const DB = databaseDouble({ around: () => Promise.reject(new Error('D1 is away')) });
    await expect(run(NOW + MINUTE_MS, { DB })).rejects.toThrow('D1 is away');
    expect((await stored('H501', NOW + MINUTE_MS))?.at).toBe(NOW);
  });

  it('goes on past a pack that cannot be written', async () => {
    const elsewhere = { ...ROME, id: 5, code: 'ELSEWHERE' };
    await seed({ municipalities: [elsewhere] });
    const SNAPSHOTS = snapshotsDouble((write, method, key) =>
      method === 'put' && key === packKey('H501') ? Promise.reject(new Error('KV is away')) : write(),
    );
    const errors = vi.spyOn(console, 'error');
    await expect(run(NOW, { SNAPSHOTS })).rejects.toThrow(AggregateError);
    expect(await stored('ELSEWHERE')).not.toBeNull();
    expect(await stored('H501')).toBeNull();
    expect(logged(errors)[0].municipality_codes).toEqual(['H501', NEIGHBOUR, ANOTHER]);
    await env.DB.prepare('delete from municipalities where id = 5').run();
  });

  it('reads no KV and writes one value a pack when all goes well', async () => {
    const operations: string[] = [];
    const SNAPSHOTS = snapshotsDouble((write, method, key) => {
      operations.push(`${method} ${key}`);
      return write();
    });
    await run(NOW, { SNAPSHOTS });
    expect(operations).toEqual([`put ${packKey('H501')}`]);
  });
});

describe('What is read together', () => {
  const municipality = (id: number, areasCount: number) => ({ id, code: String(id), areasCount });

  it.each<[string, number[], number[]]>([
    ['nothing, of nothing', [], []],
    ['25 municipalities at most', Array(60).fill(10), [25, 25, 10]],
    ['1,000 areas at most', [500, 500, 1, 999, 1], [2, 2, 1]],
    ['a big one by itself', [10, 2_000, 10, 10], [1, 1, 2]],
  ])('is %s', (_, areas, sizes) => {
    const groups = readTogether(areas.map((count, index) => municipality(index + 1, count)));
    expect(groups.map(({ length }) => length)).toEqual(sizes);
    expect(groups.flat().map(({ id }) => id)).toEqual(areas.map((_count, index) => index + 1));
  });
});
