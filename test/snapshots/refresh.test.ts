import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import type { Env } from '../../src/env.ts';
import worker from '../../src/worker.ts';
import { databaseDouble, snapshotsDouble } from '../support/doubles.ts';
import { APP_SOURCE, CITY, ROME, STREET, seed } from '../support/seed.ts';

const NOW = Date.UTC(2026, 2, 7, 11);
const [NEIGHBOUR, ANOTHER] = ['NEIGHBOUR', 'ANOTHER'];

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
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const { keys } = await env.SNAPSHOTS.list();
  await Promise.all(keys.map(({ name }) => env.SNAPSHOTS.delete(name)));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function run(at = NOW, replaced: Partial<Env> = {}): Promise<void> {
  vi.setSystemTime(at);
  const minute = createScheduledController({ cron: '* * * * *', scheduledTime: new Date(NOW) });
  return worker.scheduled(minute, { ...env, ...replaced });
}
interface Stored {
  readonly at: number;
  readonly areas: readonly { readonly counters: { readonly activeNow: number } }[];
}
const stored = (code: string) => env.SNAPSHOTS.get<Stored>(`snapshot:${code}`, 'json');
const logged = (log: { mock: { calls: unknown[][] } }) =>
  log.mock.calls.map(([line]) => JSON.parse(String(line)));

/** Makes what is read of the second municipality impossible, until it is repaired. */
const breakNeighbour = () =>
  env.DB.prepare(`update areas set paid_hours = 'no JSON' where municipality_id = 2`).run();
const repairNeighbour = () => env.DB.prepare('update areas set paid_hours = null').run();

describe('The minute’s run', () => {
  it('puts every active municipality into KV, one without areas and one without the report too', async () => {
    await run();
    expect((await stored('H501'))?.areas[0]?.counters.activeNow).toBe(1);
    expect((await stored(NEIGHBOUR))?.areas[0]?.counters.activeNow).toBe(0);
    expect(await stored(ANOTHER)).toMatchObject({ areas: [], municipality: { reportEnabled: false } });
    expect(await stored('OFF')).toBeNull();
  });

  it('is true for the instant at which it begins, however late it was fired, and says when it computed', async () => {
    const DB = databaseDouble({
      around: async (read) => {
        const result = await read();
        vi.setSystemTime(Date.now() + 1_500);
        return result;
      },
    });
    await seed({
      parkingSessions: [{ ...session, sessionId: 'l', plate: 'L', endsAt: NOW + 40_000 }],
    });
    await run(NOW + 40_000, { DB });
    await env.DB.prepare(`delete from parking_sessions where session_id = 'l'`).run();
    const snapshot = await stored('H501');
    // The list of municipalities was the first reading, and theirs the second.
    expect(snapshot).toMatchObject({ at: NOW + 40_000, computedAt: NOW + 43_000 });
    expect(snapshot?.areas[0]?.counters.activeNow).toBe(1);
  });

  it('goes on past a municipality that fails, leaves it its older snapshot or none, and says so', async () => {
    await breakNeighbour();
    await expect(run()).rejects.toThrow(AggregateError);
    expect(await stored(NEIGHBOUR)).toBeNull();
    await repairNeighbour();
    await run();
    await breakNeighbour();
    const errors = vi.spyOn(console, 'error');
    await expect(run(NOW + MINUTE_MS)).rejects.toThrow(AggregateError);
    await repairNeighbour();
    expect((await stored('H501'))?.at).toBe(NOW + MINUTE_MS);
    expect((await stored(NEIGHBOUR))?.at).toBe(NOW);
    expect(logged(errors)).toMatchObject([{ event: 'snapshot_failed', municipality_codes: [NEIGHBOUR] }]);
  });

  it('fails, and leaves all snapshots as they were, when the database is away', async () => {
    await run();
    const DB = databaseDouble({ around: () => Promise.reject(new Error('D1 is away')) });
    await expect(run(NOW + MINUTE_MS, { DB })).rejects.toThrow('D1 is away');
    expect((await stored('H501'))?.at).toBe(NOW);
  });

  it('goes on past a snapshot that cannot be written', async () => {
    const elsewhere = { ...ROME, id: 5, code: 'ELSEWHERE' };
    await seed({ municipalities: [elsewhere] });
    const SNAPSHOTS = snapshotsDouble((write, method, key) =>
      method === 'put' && key === 'snapshot:H501' ? Promise.reject(new Error('KV is away')) : write(),
    );
    const errors = vi.spyOn(console, 'error');
    await expect(run(NOW, { SNAPSHOTS })).rejects.toThrow(AggregateError);
    expect(await stored('ELSEWHERE')).not.toBeNull();
    expect(await stored('H501')).toBeNull();
    expect(logged(errors)[0].municipality_codes).toEqual(['H501']);
    await env.DB.prepare('delete from configuration_versions where municipality_id = 5').run();
    await env.DB.prepare('delete from municipalities where id = 5').run();
  });

  it('leaves the directory as a configuration that was stored meanwhile has it', async () => {
    const isPublic = (is: number) =>
      env.DB.prepare('update municipalities set public_occupancy_enabled = ? where id = 1').bind(is).run();
    const directory = () => env.SNAPSHOTS.get('public', 'json');
    await isPublic(1);
    await run();
    expect(await directory()).toMatchObject([{ code: 'H501' }]);
    const SNAPSHOTS = snapshotsDouble(async (write, _, key) => {
      if (key === 'snapshot:H501') await isPublic(0);
      return write();
    });
    await run(NOW + MINUTE_MS, { SNAPSHOTS });
    expect(await directory()).toEqual([]);
  });

  it('ends after twenty seconds, though more is left to read', async () => {
    const shows = vi.spyOn(performance, 'now');
    const DB = databaseDouble({
      around: async (read, sql) => {
        if (/parking_sessions/.test(sql)) shows.mockReturnValue(performance.now() + 21_000);
        return read();
      },
    });
    await breakNeighbour();
    // The three are a batch, which cannot be read; each alone comes too late.
    const errors = vi.spyOn(console, 'error');
    await expect(run(NOW, { DB })).rejects.toThrow(AggregateError);
    await repairNeighbour();
    expect(logged(errors)).toMatchObject(
      [ANOTHER, 'H501', NEIGHBOUR].map((code) => ({
        municipality_codes: [code],
        message: 'the run has taken too long',
      })),
    );
  });

  it('reads no KV and writes one value a municipality, the directory, and its instant, when all goes well', async () => {
    const operations: string[] = [];
    const SNAPSHOTS = snapshotsDouble((write, method, key) => {
      operations.push(`${method} ${key}`);
      return write();
    });
    await run(NOW, { SNAPSHOTS });
    const snapshots = [ANOTHER, 'H501', NEIGHBOUR].map((code) => `put snapshot:${code}`);
    expect(operations).toEqual([...snapshots, 'put public', 'put refreshed']);
  });
});
