import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { aSubscriptionLine, file, APP1_SESSIONS as SESSIONS, SUBSCRIPTIONS, send } from './support.ts';

const NOW = Date.parse('2026-03-07T12:00:00Z');
const city = new City(CITY, { now: NOW, anew: true });

const iso = (ms: number) => new Date(ms).toISOString();
const line = (changed: object) => ({
  session_id: 's',
  plate: 'A1',
  area_code: 'S1',
  starts_at: iso(NOW),
  ends_at: iso(NOW + HOUR_MS),
  ...changed,
});
const sendSessions = (lines: readonly unknown[]) => send(city.service, SESSIONS, file(lines), city.headers);
const sendSubscriptions = (lines: readonly unknown[]) =>
  send(city.service, SUBSCRIPTIONS, file(lines), city.headers);
const kept = async () =>
  (await env.DB.prepare('select digest, at from rejected_plates order by id').all()).results;
const ONE = [{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), at: NOW }];
/** Any plate may have been in a line. */
const ALL = [{ digest: null, at: NOW }];

describe('A rejected line that names a plate', () => {
  const long = 'x'.repeat(300);

  it.each([
    ['of an unknown area', line({ area_code: 'NONE' })],
    ['of an unknown property', line({ price: 1 })],
    ['without a key', line({ session_id: undefined })],
    ['with a key too long', line({ session_id: long })],
    ['shorter than any good one', { plate: 'A1' }],
    ['with a number for a plate', line({ plate: 12_345 })],
  ])('%s leaves a digest, and no plate', async (_, rejected) => {
    await sendSessions([rejected]);
    expect(await kept()).toEqual(ONE);
  });

  it.each([
    ['that is not a plate', line({ plate: '--' })],
    ['in no JSON', '{"plate": "A1"'],
    ['under another name', line({ plate: undefined, targa: 'A1' })],
    ['in a line that is too long', line({ plate: 'A1', note: 'x'.repeat(256 * 1024) })],
  ])('%s concerns every plate, once there are more than a hundred such', async (_, rejected) => {
    await sendSessions([...Array(99).fill('{}'), rejected]);
    expect(await kept()).toEqual([]);
    await sendSessions([...Array(100).fill('{}'), rejected]);
    expect(await kept()).toEqual(ALL);
  });

  it('concerns every plate where an import names more than a thousand', async () => {
    const lines = Array.from({ length: 1_001 }, (_, n) => line({ plate: `P${n}`, area_code: 'NONE' }));
    await sendSessions(lines.slice(1));
    expect(await kept()).toHaveLength(1_000);
    await sendSessions(lines);
    expect((await kept()).slice(1_000)).toEqual(ALL);
  });

  it.each([
    ['breaks off', `${file([line({ area_code: 'NONE' })])}\n\xff`, 400],
    [
      'is too large',
      `${file([line({ area_code: 'NONE' })])}\n${`${' '.repeat(1_023)}\n`.repeat(8 * 1024)}`,
      413,
    ],
  ])('is remembered also where the import %s', async (_, text, status) => {
    const body = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const answer = await send(city.service, SESSIONS, body, city.headers);
    expect(answer.status).toBe(status);
    expect(await kept()).toEqual(ONE);
  });
});

describe('A rejected line of a subscription', () => {
  const title = (...plates: readonly unknown[]) =>
    aSubscriptionLine({ type: 'NONE', plates: plates.map((plate) => ({ plate })) });

  it('leaves a digest of each plate that it names', async () => {
    await sendSubscriptions([title('A1', 'B2', 'a-1', 3)]);
    expect(await kept()).toHaveLength(3);
  });

  it('also where plates stand without their braces, or where a line has too many of them', async () => {
    await sendSubscriptions([
      aSubscriptionLine({ plates: ['A1', 'B2'] }),
      title(...Array.from({ length: 501 }, (_, n) => `P${n}`)),
    ]);
    expect(await kept()).toHaveLength(503);
  });

  it.each([
    ['no plates', aSubscriptionLine({ type: 'NONE', plates: [] })],
    ['plates that are none', title('--', '')],
    ['no JSON', '{'],
  ])('concerns every plate with %s, once there are more than a hundred such', async (_, rejected) => {
    await sendSubscriptions(Array(101).fill(rejected));
    expect(await kept()).toEqual(ALL);
  });
});
