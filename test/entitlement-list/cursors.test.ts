import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { runRetention } from '../../src/upkeep/retention/run-retention.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';
import { backUp, restore } from './backup.ts';
import { at, session, subscription } from './lines.ts';
import { askList, LIST, listingCity, standing, takeList } from './support.ts';

const GONE = { status: 410, code: 'CURSOR_GONE' };

const { city, configure, importSessions, importSubscriptions, take, holder, freshHolder } = listingCity();
let another: TestCredential;

const ask = (cursor: string, headers = city.headers, path = LIST) =>
  askList(city.service, headers, { cursor }, path);

beforeAll(async () => {
  another = await issueCredential();
  await importSessions(session('1'), session('2'), session('3'));
});

let cursor: string;
afterEach(() => {
  vi.useRealTimers();
});
beforeEach(async () => {
  ({
    end: { cursor },
  } = await take());
});

describe('A plate is hashed', () => {
  it('so that lists of two credentials cannot be joined', async () => {
    const [own, others] = [await take(), await takeList(city.service, another.headers)];
    expect(own.lines).toHaveLength(others.lines.length);
    const texts = (lines: readonly object[]) => lines.flatMap((line) => Object.entries(line));
    const shared = texts(own.lines).filter(([name, value]) =>
      texts(others.lines).some(([other, text]) => other === name && text === value),
    );
    expect(new Set(shared.map(([name]) => name))).toEqual(new Set(['type', 'kind', 'from', 'until']));
  });

  it('for one token always the same, and so is the id', async () => {
    const [first, second] = [await take(), await take()];
    expect(first.lines).toEqual(second.lines);
    expect(first.end.cursor).not.toBe(second.end.cursor);
  });
});

describe('A cursor is gone', () => {
  it('where it was made up, cut or changed', async () => {
    const changed = [...cursor].map((character, index) =>
      index === 30 ? (character === 'A' ? 'B' : 'A') : character,
    );
    for (const made of [
      'x',
      'AAAA',
      'ä',
      '💥',
      '%00',
      cursor.slice(0, -1),
      cursor.slice(1),
      `${cursor}A`,
      changed.join(''),
    ]) {
      expect(await ask(made), made).toEqual(GONE);
    }
  });

  it('where its instant was moved behind the calendar', async () => {
    const alphabet = { alphabet: 'base64url' } as const;
    const state = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(cursor, alphabet)));
    const later = { ...state, asOf: 8_640_000_000_000_000, position: { part: 'sessions', after: [0, 0] } };
    expect(await ask(new TextEncoder().encode(JSON.stringify(later)).toBase64(alphabet))).toEqual(GONE);
  });

  it('for another token, and for another facility', async () => {
    expect(await ask(cursor, another.headers)).toEqual(GONE);
    expect(await ask(cursor, city.headers, LIST.replace('P1', 'P2'))).toEqual(GONE);
    expect(await ask(cursor)).toMatchObject({ header: { mode: 'delta' } });
  });

  it('for the new token of a rotated credential, while the old one goes on through the overlap', async () => {
    const { headers, credentialId } = await issueCredential();
    const { end } = await takeList(city.service, headers);
    const { body } = await city.service.call(`/api/v2/admin/credentials/${credentialId}/rotate`, {
      method: 'POST',
      headers: ADMIN,
      body: { overlap_seconds: 60 },
    });
    expect(await ask(end.cursor, bearer(String(body.access_token)))).toEqual(GONE);
    expect(await ask(end.cursor, headers)).toMatchObject({ header: { mode: 'delta' } });
  });

  it('where a new key of the service gives every entry another id: its removals would name none that a gate holds', async () => {
    await importSessions(session('cancelled'));
    const { end } = await take();
    await importSessions(session('cancelled', { cancelled_at: at(-1) }));
    const rotated = new Service({ TOKEN_KEY: `${'n'.repeat(32)},${env.TOKEN_KEY}` });
    expect(await askList(rotated, city.headers, { cursor: end.cursor })).toEqual(GONE);
    expect(await ask(end.cursor)).toMatchObject({ lines: [{ type: 'removed' }] });
  });

  it('where the database was restored to before it, and also once that has gone on', async () => {
    await backUp();
    await importSessions(session('4'));
    const { end } = await take();
    const { end: inTheMiddle } = await take({ limit: 1 });
    await restore();
    expect(await ask(inTheMiddle.cursor)).toEqual(GONE);
    // What was known when the copy was made is known still.
    expect(await ask(cursor)).toMatchObject({ header: { mode: 'delta' }, lines: [] });
    expect(await ask(end.cursor)).toEqual(GONE);
    await importSessions(session('5'), session('6'));
    expect(await ask(end.cursor)).toEqual(GONE);
    expect(await ask(cursor)).toMatchObject({ lines: [{ type: 'entry' }, { type: 'entry' }] });
  });

  it('where a restored database goes on at the very instant of a change that it has lost', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 });
    await backUp();
    await importSessions(session('lost'));
    const { end } = await take();
    await restore();
    await importSessions(session('in its place'));
    expect(await ask(end.cursor)).toEqual(GONE);
  });

  it('where retention may have taken what it had not seen yet, and not before', async () => {
    const shortest = { SESSION_RETENTION_DAYS: '1', SUBSCRIPTION_RETENTION_DAYS: '1' };
    const kept = new Service(shortest);
    const asked = () => askList(kept, city.headers, { cursor }, LIST);
    await importSessions(session('3', { cancelled_at: at(-2) }), session('afterwards'));
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: now + DAY_MS - HOUR_MS });
    await runRetention({ ...env, ...shortest }, instant(Date.now()));
    expect(await asked()).toMatchObject({ lines: [{ type: 'removed' }, { type: 'entry' }] });
    vi.setSystemTime(now + DAY_MS + HOUR_MS);
    await runRetention({ ...env, ...shortest }, instant(Date.now()));
    expect(await asked()).toEqual(GONE);
  });

  it.each([
    ['subscriptions are switched', { services: { subscriptions: false } }],
    [
      'a source lets open sessions count for longer',
      { sources: [{ code: 'app2', open_session_max_hours: 25 }] },
    ],
    ['the clocks are those of another zone', { timezone: 'Europe/Lisbon' }],
  ])('where %s', async (_, changed) => {
    await configure(changed);
    expect(await ask(cursor)).toEqual(GONE);
    await configure({ services: { subscriptions: true } });
  });

  it('not where nothing of that has changed', async () => {
    await configure({ name: 'Roma Capitale' });
    expect(await ask(cursor)).toMatchObject({ header: { mode: 'delta' }, lines: [] });
  });
});

describe('A delta', () => {
  it('has what changed while the facility was a street, which has no list', async () => {
    await importSessions(session('was there'));
    const held = await freshHolder();
    const become = (area_type: string) => configure({ areas: [{ code: 'P1', area_type }] });
    await become('street');
    await importSessions(session('on the street'), session('was there', { cancelled_at: at(-1) }));
    await become('facility');
    await held.refresh();
    expect([held.fullLists, held.removed.length]).toEqual([1, 1]);
    expect(standing(held)).toEqual(standing(await freshHolder()));
  });

  it('tells of no subscription where these are switched off', async () => {
    await configure({ services: { subscriptions: false } });
    await importSubscriptions(subscription('OFF', { plates: [{ plate: 'OFF' }] }));
    const held = await freshHolder();
    await importSubscriptions(subscription('OFF', { plates: [] }));
    await held.refresh();
    expect([held.fullLists, held.removed]).toEqual([1, []]);
    await configure({ services: { subscriptions: true } });
  });
});

it('A plate that leaves its subscription while a full list is sent takes no other one’s place', async () => {
  const plates = ['FF1', 'FF2', 'FF3', 'FF4'].map((plate) => ({ plate }));
  const send = (left: typeof plates) => importSubscriptions(subscription('FLEET', { plates: left }));
  await send(plates);
  const { lines } = await take();
  const before = lines.filter((line) => line.type === 'entry' && line.kind === 'subscription');
  const held = holder(1);
  while (![...held.entries.values()].some(({ kind }) => kind === 'subscription')) await held.step();
  await send(plates.slice(1));
  await held.refresh();
  await held.refresh();
  expect(standing(held)).toEqual(standing(await freshHolder()));
  expect([...held.entries.values()].filter(({ kind }) => kind === 'subscription')).toHaveLength(
    before.length - 1,
  );
  expect(held.fullLists).toBe(1);
  await send([]);
});
