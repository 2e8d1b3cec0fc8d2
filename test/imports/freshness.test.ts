import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
} from './support.ts';
import { storesLines, watchedDb } from './watched-db.ts';

const NO_UTF8 = new Uint8Array([0xff]);

interface Ended {
  readonly recorded_at: number;
  readonly outcome: string;
  readonly succeeded_at: number | null;
  readonly succeeded_before: number | null;
}

/** What is kept of the source's imports, oldest first. */
const kept = async (): Promise<Ended[]> =>
  (
    await env.DB.prepare(
      'select recorded_at, outcome, succeeded_at, succeeded_before from imports where source_id = 1 order by 1',
    ).all<Ended>()
  ).results;
const freshness = async () => (await kept()).at(-1) ?? null;

const city = new City(CITY, { anew: true });

type Body = Parameters<typeof send>[2];
const importBody = (
  body: Body,
  { path = SESSIONS, headers = {}, service = city.service }: Partial<Sent> = {},
) => send(service, path, body, { ...city.headers, ...headers });
interface Sent {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly service: Service;
}

describe('The freshness of a source', () => {
  it.each([
    ['a file whose lines are all taken', file([aSessionLine()])],
    ['a file of which some lines are taken', file([aSessionLine(), '{}'])],
    ['a file with nothing in it', ''],
  ])('is renewed by %s', async (_name, body) => {
    const before = Date.now();
    await importBody(body);
    const row = await freshness();
    expect(row).toMatchObject({ outcome: 'succeeded' });
    expect(row?.succeeded_at).toBeGreaterThanOrEqual(before);
    expect(row?.succeeded_at).toBeLessThanOrEqual(row?.recorded_at ?? 0);
  });

  it.each([
    ['a file none of whose lines are taken', '{}\n{}'],
    ['a body that cannot be read', NO_UTF8],
  ])('sees a failed import in %s, and keeps the last success', async (_name, body) => {
    await importBody('');
    const success = await freshness();
    await importBody(body);
    expect(await freshness()).toMatchObject({ outcome: 'failed', succeeded_at: success?.succeeded_at });
  });

  it('is not moved by what was refused before it was read', async () => {
    const tooLarge = new Uint8Array(8 * 1024 * 1024 + 1);
    const refused = [
      await importBody(tooLarge, { headers: { 'Content-Length': String(tooLarge.length) } }),
      await importBody('', { headers: { 'Content-Type': 'text/plain' } }),
      await importBody(NO_UTF8, { path: '/api/v2/imports/sessions?source_code=other' }),
      await importBody(NO_UTF8, { path: `${SESSIONS}&municipality_code=X` }),
      await importBody(NO_UTF8, { path: '/api/v2/imports/sessions?source_code=' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([413, 415, 404, 403, 422]);
    expect(await freshness()).toBeNull();
  });

  it('is not moved by subscriptions', async () => {
    expect((await importBody(file([aSubscriptionLine()]), { path: SUBSCRIPTIONS })).status).toBe(200);
    expect((await importBody(NO_UTF8, { path: SUBSCRIPTIONS })).status).toBe(400);
    expect(await freshness()).toBeNull();
  });

  it('sees a failed import in one that ends in a failure of ours', async () => {
    const broken = new Service({
      DB: watchedDb({
        before: (statements) => {
          if (statements.some(storesLines)) throw new Error('D1_ERROR: the disk is full');
        },
      }),
    });
    const answer = await importBody(file([aSessionLine()]), { service: broken });
    expect(answer.status).toBe(500);
    expect(await freshness()).toMatchObject({ outcome: 'failed', succeeded_at: null });
  });

  it('sees a failed import in one whose client does not send the rest in time', async () => {
    const { setTimeout } = globalThis;
    // The time that all lines have, and not that of the call.
    const isOfLines = (ms: number) => ms > 60_000 && ms < 100_000;
    vi.stubGlobal('setTimeout', (callback: () => void, ms: number) =>
      setTimeout(callback, isOfLines(ms) ? 50 : ms),
    );
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${file([aSessionLine()])}\n`)),
    });
    const answer = await importBody(endless);
    vi.unstubAllGlobals();
    expect(answer.status).toBe(500);
    expect(await freshness()).toMatchObject({ outcome: 'failed', succeeded_at: null });
    expect(await storedSessions()).toHaveLength(1);
  });
});

describe('The imports that are kept', () => {
  const NOW = Date.UTC(2026, 2, 10, 11);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] });
    return () => vi.useRealTimers();
  });
  const at = (minute: number) => NOW + minute * MINUTE_MS;
  const importAt = async (minute: number, body: string) => {
    vi.setSystemTime(at(minute));
    expect((await importBody(body)).status).toBe(200);
  };
  const [GOOD, BAD] = ['', '{}'];
  const minutes = (instant: number | null) => instant && (instant - NOW) / MINUTE_MS;

  it('are those after which the source stood otherwise, and the last one', async () => {
    // A first success, two more in time, two failures, a success behind them, one in time, a silence, one in time.
    const files = [GOOD, GOOD, GOOD, BAD, BAD, GOOD, GOOD];
    for (const [minute, body] of files.entries()) await importAt(minute + 1, body);
    await importAt(23, GOOD);
    await importAt(24, GOOD);
    expect(
      (await kept()).map((row) => [
        minutes(row.recorded_at),
        row.outcome,
        minutes(row.succeeded_at),
        minutes(row.succeeded_before),
      ]),
    ).toEqual([
      [1, 'succeeded', 1, null],
      [4, 'failed', 3, 3],
      [6, 'succeeded', 6, 3],
      [23, 'succeeded', 23, 7],
      [24, 'succeeded', 24, 23],
    ]);
  });

  it('keep the later success, where two imports end in the other order', async () => {
    await importAt(5, GOOD);
    await importAt(2, GOOD);
    expect(await freshness()).toMatchObject({ recorded_at: at(5) + 1, succeeded_at: at(5) });
  });
});
