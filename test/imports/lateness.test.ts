import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const service = new Service();
const NOW = Date.parse('2026-03-07T12:00:00Z');
let credential: TestCredential;

beforeEach(async () => {
  await freshDatabase(CITY);
  credential = await issueCredential();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});

const iso = (ms: number) => new Date(ms).toISOString();
const line = (changed: object) => ({
  session_id: 's',
  plate: 'A1',
  area_code: 'S1',
  starts_at: iso(NOW),
  ends_at: iso(NOW + HOUR_MS),
  ...changed,
});
const send = (...lines: readonly unknown[]) =>
  service.settle('/api/v2/imports/sessions?source_code=app1', {
    method: 'POST',
    body: lines.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n'),
    headers: { ...credential.headers, 'Content-Type': 'application/x-ndjson' },
  });
const lateness = async () => {
  const { body } = await service.call('/api/v2/admin/sources/lateness?municipality_code=H501', {
    headers: ADMIN,
  });
  return (
    body.sources as {
      usual_delay_seconds: number;
      days: { date: string; counted: number; within_seconds: Record<string, number> }[];
    }[]
  )[0];
};
const counted = async () =>
  (await env.DB.prepare('select step, count from source_delays order by step').all()).results;

describe('The usual delay of a source', () => {
  it.each([
    [
      'a new session counts after its start',
      [],
      [line({ starts_at: iso(NOW - 16 * SECOND_MS) })],
      [{ step: 30, count: 1 }],
    ],
    ['one that starts now counts as quick', [], [line({})], [{ step: 15, count: 1 }]],
    ['one that starts later does not count', [], [line({ starts_at: iso(NOW + 1) })], []],
    [
      'one reported a day late counts',
      [],
      [line({ starts_at: iso(NOW - DAY_MS) })],
      [{ step: 86_400, count: 1 }],
    ],
    ['one reported later than that does not', [], [line({ starts_at: iso(NOW - DAY_MS - 1) })], []],
    [
      'several of one step are one row',
      [],
      [1, 2, 3].map((n) => line({ session_id: `s${n}` })),
      [{ step: 15, count: 3 }],
    ],
    ['the same again counts once', [line({})], [line({})], [{ step: 15, count: 1 }]],
    [
      'a later end counts after the end before',
      [line({ starts_at: iso(NOW - 2 * DAY_MS), ends_at: iso(NOW - MINUTE_MS) })],
      [line({ starts_at: iso(NOW - 2 * DAY_MS) })],
      [{ step: 60, count: 1 }],
    ],
    [
      'an earlier end does not',
      [line({ starts_at: iso(NOW - 2 * DAY_MS) })],
      [line({ starts_at: iso(NOW - 2 * DAY_MS), ends_at: iso(NOW - MINUTE_MS) })],
      [],
    ],
    [
      'a stop does not',
      [line({ starts_at: iso(NOW - 2 * DAY_MS), ends_at: null })],
      [line({ starts_at: iso(NOW - 2 * DAY_MS) })],
      [],
    ],
    [
      'a later end that is reported before the end does not',
      [line({ starts_at: iso(NOW - 2 * DAY_MS) })],
      [line({ starts_at: iso(NOW - 2 * DAY_MS), ends_at: iso(NOW + 2 * HOUR_MS) })],
      [],
    ],
    [
      'a cancellation does not',
      [line({ starts_at: iso(NOW - 2 * DAY_MS) })],
      [line({ starts_at: iso(NOW - 2 * DAY_MS), cancelled_at: iso(NOW) })],
      [],
    ],
  ])('%s', async (_, before, lines, expected) => {
    if (before.length > 0) await send(...before);
    await send(...lines);
    expect(await counted()).toEqual(expected);
  });

  it('is shown day by day, and forgotten after a week', async () => {
    await send(
      ...Array.from({ length: 20 }, (_, n) =>
        line({ session_id: `s${n}`, starts_at: iso(NOW - 40 * SECOND_MS) }),
      ),
    );
    expect(await lateness()).toMatchObject({
      code: 'app1',
      usual_delay_seconds: 60,
      days: [{ date: '2026-03-07', counted: 20, within_seconds: { '30': 0, '60': 20, '86400': 20 } }],
    });
    vi.setSystemTime(NOW + 7 * DAY_MS);
    await send();
    expect(await lateness()).toMatchObject({ usual_delay_seconds: 900, days: [] });
    expect(await counted()).toEqual([]);
  });

  it('is nobody’s where nobody knows the municipality', async () => {
    const answer = await service.call('/api/v2/admin/sources/lateness?municipality_code=NONE', {
      headers: ADMIN,
    });
    expect(answer.status).toBe(404);
  });

  it('costs a batch one row, however many sessions it has', async () => {
    await send(...Array.from({ length: 500 }, (_, n) => line({ session_id: `s${n}` })));
    expect(await counted()).toEqual([{ step: 15, count: 500 }]);
  });
});
