import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { storedPlate } from '../../src/domain/plate.ts';
import { answerMentions, requestMentions } from '../../src/office/erasure/mentions.ts';
import { ERASE, eraseAll, NOTHING, spells, textsOfAllTables } from '../admin/plates-support.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

const PLATE = 'ERASE1';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const city = new City(CITY, { anew: true });

const holding = async () => (await textsOfAllTables()).filter(([, kept]) => spells(kept, PLATE));

describe('An erasure takes the bodies of whole calls', () => {
  it('that spell it, whatever plate they ask about, and those logged once it had ended by the same again', async () => {
    const say = (terminal_code: string) => city.post(OPTIONS, { plate: 'OTHER1', terminal_code });
    const codes = async () => {
      const { results } = await env.DB.prepare(
        "select request ->> '$.terminal_code' as code from logged_calls where request is not null",
      ).all<{ code: string }>();
      return results.map(({ code }) => code);
    };
    for (const text of ['see app ERASE 1.', 'x-ERASE1', 'METER-7']) await say(text);
    expect(await eraseAll(city.service, PLATE)).toEqual({ ...NOTHING, calls: 2 });
    expect(await codes()).toEqual(['METER-7']);
    await say('park ERASE-1');
    expect(await eraseAll(city.service, PLATE)).toEqual({ ...NOTHING, calls: 1 });
    expect(await codes()).toEqual(['METER-7']);
  });

  it('page by page, those of no tenant too, each call after the position of the one before', async () => {
    const calls = 250;
    await env.DB.prepare(
      `insert into calls (id, at, operation, tenant, http_status, outcome, duration_ms, request, response)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < ?1)
       select unhex(printf('%012x7000%016x', value, value)), value, 'subscription_options',
         iif(value % 5 = 0, null, 'acme'), 200, 'OK', 1, ?2, '{}' from n`,
    )
      .bind(calls, JSON.stringify({ plate: PLATE }))
      .run();
    const erased: number[] = [];
    for (let after: unknown = null; erased.length === 0 || after !== null; ) {
      // Its clock runs so fast that each call has time for one round.
      let now = performance.now();
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
        now += 3_000;
        return now;
      });
      const { body } = await city.post(ERASE, { tenant: 'acme', plate: PLATE, after }, ADMIN);
      clock.mockRestore();
      erased.push((body.erased as { calls: number }).calls);
      after = body.next;
    }
    expect(erased.length).toBeGreaterThan(2);
    expect(erased.reduce((sum, count) => sum + count, 0)).toBe(calls);
    expect(await holding()).toEqual([]);
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
