import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { storeSubscription } from '../support/past.ts';
import { CITY, ROME, TENANT } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

const EXPORT = '/api/v2/admin/subscriptions/export';
const city = new City({
  ...CITY,
  tenants: [TENANT, { id: 2, code: 'other', name: 'Other', active: true }],
  municipalities: [ROME, { ...ROME, id: 2, code: 'L219', tenantId: 2 }],
});
beforeAll(() => storeSubscription(Date.now(), { number: 'N1', plates: ['SECOND1', 'FIRST1'] }));

const asked = (municipality_code: string, subscription_number: string) =>
  city.post(EXPORT, { municipality_code, subscription_number }, ADMIN);

describe('A subscription by its number', () => {
  it('is answered whole, with every plate, as a line of an import has it', async () => {
    expect(await asked('H501', ' N1 ')).toMatchObject({
      status: 200,
      body: {
        municipality_code: 'H501',
        subscription: {
          subscription_number: 'N1',
          type: 'RES',
          plates: [{ plate: 'FIRST1' }, { plate: 'SECOND1' }],
          approval: 'approved',
          areas: 'all',
          revision: null,
        },
        paid_periods: [],
      },
    });
  });

  it('has what is left of its paid periods, by start', async () => {
    const day = (count: number) => Date.UTC(2026, 2, count);
    const pay = (id: string, starts: number, ends: number, reversed: number | null = null) =>
      env.DB.prepare(
        `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at,
           result_code, subscription_id, starts_at, ends_at, reversal_recorded_at)
         select 1, ?1, 'FIRST1', '101', 1, 1, 1, 1, 'PERIOD_CREATED', id, ?2, ?3, ?4 from subscriptions`,
      ).bind(id, day(starts), day(ends), reversed && day(reversed));
    await env.DB.batch([pay('later', 5, 8), pay('whole', 1, 3), pay('cut', 3, 5, 4), pay('none', 9, 12, 8)]);
    const { paid_periods } = (await asked('H501', 'N1')).body;
    const period = (starts: number, ends: number) => ({
      starts_at: `2026-03-0${starts}T01:00:00+01:00`,
      ends_at: `2026-03-0${ends}T01:00:00+01:00`,
    });
    expect(paid_periods).toEqual([period(1, 3), period(3, 4), period(5, 8)]);
  });

  it.each([
    ['H501', 'N2', 'The municipality has no subscription with this number.'],
    ['L219', 'N1', 'The municipality has no subscription with this number.'],
    ['X999', 'N1', 'There is no municipality with this code.'],
  ])('is a 404 in %s for %s: %s', async (municipality, number, message) => {
    expect(await asked(municipality, number)).toMatchObject({ status: 404, body: { error: { message } } });
  });
});
