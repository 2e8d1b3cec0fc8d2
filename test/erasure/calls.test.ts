import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { storedPlate } from '../../src/domain/plate.ts';
import { answerMentions, requestMentions } from '../../src/office/erasure/mentions.ts';
import { eraseAll, NOTHING, spells, textsOfAllTables } from '../admin/plates-support.ts';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, RESIDENTS } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

const PLATE = 'ERASE1';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const service = new Service();
let headers: Record<string, string>;

const holding = async () => (await textsOfAllTables()).filter(([, kept]) => spells(kept, PLATE));

beforeEach(async () => {
  await freshDatabase({ ...CITY, subscriptionTypes: [RESIDENTS] });
  ({ headers } = await issueCredential());
});

describe('An erasure takes the bodies of whole calls', () => {
  it('once, and finds nothing of them again', async () => {
    const query = { method: 'POST', body: { plate: PLATE, terminal_code: 'T1' }, headers };
    expect((await service.settle(OPTIONS, query)).status).toBe(200);
    expect((await holding()).map(([where]) => where)).toContain('calls.request');
    expect(await eraseAll(service, PLATE)).toEqual({ ...NOTHING, calls: 1 });
    expect(await holding()).toEqual([]);
    expect(await eraseAll(service, PLATE)).toEqual(NOTHING);
  });

  it('of several pages', async () => {
    const calls = 250;
    await env.DB.prepare(
      `insert into calls
        (id, at, operation, tenant, http_status, outcome, duration_ms, request, response)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < ?1)
       select unhex(printf('%012x7000%016x', value, value)), value, 'subscription_options',
         iif(value % 5 = 0, null, 'acme'), 200, 'OK', 1, ?2, '{}' from n`,
    )
      .bind(calls, JSON.stringify({ plate: PLATE }))
      .run();
    expect(await eraseAll(service, PLATE)).toEqual({ ...NOTHING, calls });
    expect(await holding()).toEqual([]);
  });

  it('that were refused for a plate sent as a number, which an export lists before', async () => {
    const plate = '1234567';
    const query = { method: 'POST', body: { plate: Number(plate), terminal_code: 'T1' }, headers };
    expect((await service.settle(OPTIONS, query)).status).toBe(422);
    const asked = { tenant: 'acme', plate };
    const exported = async () => (await service.post('/api/v2/admin/plates/export', asked, ADMIN)).body.calls;
    expect(await exported()).toMatchObject([{ request: { plate: Number(plate) } }]);
    expect(await eraseAll(service, plate)).toEqual({ ...NOTHING, calls: 1 });
    expect((await textsOfAllTables()).filter(([, text]) => spells(text, plate))).toEqual([]);
    expect(await exported()).toEqual([]);
    expect(await eraseAll(service, plate)).toEqual(NOTHING);
  });

  it.each([
    ['{"plate":1234567}', '1234567'],
    ['{"plate": 1.234567e6}', '1234567'],
    ['{"plate": 123456789012345}', '123456789012345'],
    ['{"note": "see a-b."}', 'AB'],
    ['{"A": {"b": ["ａ B"]}}', 'AB'],
    ['{"plate": "a-b"', 'AB'],
    ['x AAB B-A B', 'AB'],
  ])('whose request is %s, and spells %s', (text, plate) => {
    expect(requestMentions(text, storedPlate(plate))).toBe(true);
  });

  it.each([
    ['{"plate": 12345678}', '1234567'],
    ['{"n": "A", "m": "B"}', 'AB'],
    ['nothing', 'AB'],
  ])('but not one whose request is %s, for %s', (text, plate) => {
    expect(requestMentions(text, storedPlate(plate))).toBe(false);
  });

  it('and not for the counts, the ids and the instants that the service answered', () => {
    const answer = JSON.stringify({
      ...{ request_id: '01a2244f-72de-7660-9d9b-6d69b07f6879', minutes: 60 },
      generated_at: '2026-03-07T16:44:12+01:00',
    });
    for (const plate of ['60', 'A2', 'T16']) expect(answerMentions(answer, storedPlate(plate))).toBe(false);
    expect(answerMentions('{"plate":"60"}', storedPlate('60'))).toBe(true);
  });
});
