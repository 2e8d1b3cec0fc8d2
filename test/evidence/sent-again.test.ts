import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { eraseAll, importLines, textsOfAllTables } from '../admin/plates-support.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { configurationVersion, storeConfiguration } from '../support/past.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { at, BEGAN, type Body, EVIDENCE, iso, JUDGED, LOOKED } from './support.ts';

const STORED = LOOKED - HOUR_MS;
const SENT_AGAIN = LOOKED + 12 * HOUR_MS;

interface Kind {
  readonly what: 'sessions' | 'subscriptions';
  /** Its own, which has its key. */
  readonly table: 'parking_sessions' | 'subscriptions';
  readonly key: string;
  readonly plate: string;
  /** A line with dates of a year. */
  readonly line: (year: number) => Body;
}
const KINDS: readonly Kind[] = [
  {
    what: 'sessions',
    table: 'parking_sessions',
    key: 'S-1',
    plate: 'PARKED1',
    line: (year) => ({
      ...{ session_id: 'S-1', plate: 'PARKED1', area_code: 'S1' },
      ...{ starts_at: `${year}-03-07T07:00:00Z`, ends_at: `${year}-03-07T09:00:00Z` },
    }),
  },
  {
    what: 'subscriptions',
    table: 'subscriptions',
    key: 'N-1',
    plate: 'TITLED1',
    line: (year) => {
      const [from, until] = [`${year}-01-01T00:00:00Z`, `${year}-12-31T00:00:00Z`];
      return {
        ...{ subscription_number: 'N-1', type: 'RES', approval: 'approved', areas: 'all' },
        ...{ plates: [{ plate: 'TITLED1' }], authorized_from: from, authorized_until: until },
        periods: [{ starts_at: from, ends_at: until }],
      };
    },
  },
];

const service = new Service();
let clerk: TestCredential;

/** The hourly run. */
const retain = (now: number) => at(now, () => runCron('17 * * * *', env, () => instant(now)));

const evidenceOf = (plate: string, now: number): Promise<Body> =>
  at(now, async () => {
    const question = { plate, at: iso(LOOKED), area_code: 'S1' };
    return (await service.post(EVIDENCE, question, clerk.headers)).body;
  });

/** The tables that have a text. */
const tablesWith = async (text: string): Promise<unknown[]> => {
  const found = await textsOfAllTables();
  return [...new Set(found.filter(([, kept]) => kept.includes(text)).map(([where]) => where.split('.')[0]))];
};

describe.each(KINDS)('Of $what that an importer sends again with dates of long ago', (kind) => {
  const { what, table, key, plate, line } = kind;

  beforeAll(async () => {
    await freshDatabase(CITY);
    await storeConfiguration(configurationVersion(BEGAN));
    clerk = await issueCredential({ historicalDaysAllowed: null });
    const { headers } = await issueCredential({
      scopes: ['import'],
      sourceCode: what === 'sessions' ? 'app1' : null,
    });
    const send = (now: number, year: number) =>
      at(now, () => importLines(service, headers, what, [line(year)]));
    expect(await send(STORED, 2026)).toMatchObject({ created: 1 });
    expect(await send(SENT_AGAIN, 2020)).toMatchObject({ updated: 1 });
  });

  it('evidence tells what was known, and that it differs, before the hourly retention and after it', async () => {
    const tells = {
      as_known_then: { has_valid_entitlement: true },
      as_known_now: { has_valid_entitlement: false },
      differs: true,
      history_count: 2,
    };
    expect(await evidenceOf(plate, SENT_AGAIN + MINUTE_MS)).toMatchObject(tells);
    await retain(SENT_AGAIN + HOUR_MS);
    expect(await tablesWith(key)).toEqual([table]);
    expect(await evidenceOf(plate, SENT_AGAIN + 2 * HOUR_MS)).toMatchObject(tells);
    await retain(JUDGED);
    expect(await evidenceOf(plate, JUDGED)).toMatchObject(tells);
  });
});

describe('Of a session whose key was made from a plate that it held before, and is erased', () => {
  it('evidence tells under the digest of the key, also what a line with the old key has changed since', async () => {
    await freshDatabase(CITY);
    await storeConfiguration(configurationVersion(BEGAN));
    clerk = await issueCredential({ historicalDaysAllowed: null });
    const { headers } = await issueCredential({ scopes: ['import'], sourceCode: 'app1' });
    const line = {
      ...{ session_id: 'app/WRONG1/7', plate: 'RIGHT1', area_code: 'S1' },
      ...{ starts_at: '2026-03-07T07:00:00Z', ends_at: '2026-03-07T09:00:00Z' },
    };
    const send = (now: number, changed: Body) =>
      at(now, () => importLines(service, headers, 'sessions', [{ ...line, ...changed }]));
    await send(STORED, { plate: 'WRONG1' });
    await send(STORED + MINUTE_MS, {});
    await at(SENT_AGAIN, () => eraseAll(service, 'WRONG1'));
    expect(await send(SENT_AGAIN + MINUTE_MS, { cancelled_at: line.starts_at })).toMatchObject({
      updated: 1,
    });

    const evidence = await evidenceOf('RIGHT1', JUDGED);
    const session_id = expect.stringMatching(/^\*[0-9a-f]{64}$/);
    expect(evidence).toMatchObject({
      as_known_then: { has_valid_parking: true, sessions: [{ session_id }] },
      as_known_now: { has_valid_parking: false, sessions: [{ session_id, status: 'cancelled' }] },
      history: [1, 2].map(() => ({ key: session_id, record: { session_id, plate: 'RIGHT1' } })),
    });
    expect(await tablesWith('WRONG1')).toEqual([]);
  });
});
