import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
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

const service = new Service();
let clerk: TestCredential;

const evidenceOf = (plate: string, now: number): Promise<Body> =>
  at(now, async () => {
    const question = { plate, at: iso(LOOKED), area_code: 'S1' };
    return (await service.post(EVIDENCE, question, clerk.headers)).body;
  });

describe('Of a session that an importer sends again with dates of long ago', () => {
  const line = (year: number) => ({
    ...{ session_id: 'S-1', plate: 'PARKED1', area_code: 'S1' },
    ...{ starts_at: `${year}-03-07T07:00:00Z`, ends_at: `${year}-03-07T09:00:00Z` },
  });

  it('evidence tells what was known, and that it differs, before the hourly retention and after it', async () => {
    await freshDatabase(CITY);
    await storeConfiguration(configurationVersion(BEGAN));
    clerk = await issueCredential({ historicalDaysAllowed: null });
    const { headers } = await issueCredential({ scopes: ['import'], sourceCode: 'app1' });
    const send = (now: number, year: number) =>
      at(now, () => importLines(service, headers, 'sessions', [line(year)]));
    expect(await send(STORED, 2026)).toMatchObject({ created: 1 });
    expect(await send(SENT_AGAIN, 2020)).toMatchObject({ updated: 1 });
    const tells = {
      as_known_then: { has_valid_entitlement: true },
      as_known_now: { has_valid_entitlement: false },
      differs: true,
      history_count: 2,
    };
    expect(await evidenceOf('PARKED1', SENT_AGAIN + MINUTE_MS)).toMatchObject(tells);
    await at(JUDGED, () => runCron('17 * * * *', env, () => instant(JUDGED)));
    expect(await evidenceOf('PARKED1', JUDGED)).toMatchObject(tells);
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
    expect((await textsOfAllTables()).filter(([, kept]) => kept.includes('WRONG1'))).toEqual([]);
  });
});
