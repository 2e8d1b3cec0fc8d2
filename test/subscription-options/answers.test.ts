import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { RESULT_TEXT } from '../../src/core/subscription-options/present.ts';
import { RESULT_CODES, type ResultCode } from '../../src/domain/purchase-options.ts';
import { City } from '../support/city.ts';
import { NOW, OFFICE, PATH } from './support.ts';

const city = new City(OFFICE, { now: NOW });
const ask = (body: object, headers = {}) => city.post(PATH, body, headers);

const expiries = (body: Record<string, unknown>) =>
  (body.tariffe as { scadenza: string }[]).map(({ scadenza }) => scadenza);

describe('The options query', () => {
  it('answers the plans of a title that waits for its first activation', async () => {
    const answer = await ask({ plate: ' fi-rst ', terminal_code: ' T-1 ', unknown: 1 });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      api_version: '2.1',
      result_code: 'OPTIONS_AVAILABLE',
      message: 'Choose one of the plans.',
      eligible: true,
      plate: 'FIRST',
      municipality: { code: 'H501', name: 'Roma' },
      terminal_code: 'T-1',
      timezone: 'Europe/Rome',
      generated_at: '2026-03-07T17:44:12+01:00',
      operation: 'first_activation',
      subscriptions_count: 1,
      options_count: 3,
      entitlements_count: 0,
      tariffe: [
        {
          codice_tariffa: '012',
          importo_eurocent: 999_999,
          scadenza: '17:44 07/03/2027',
          descrizione: 'RESIDENTI ANNUALE',
          jolly_info: '',
        },
        {
          codice_tariffa: '101',
          importo_eurocent: 2_500,
          scadenza: '17:44 07/04/2026',
          descrizione: 'RESIDENTI MENSILE',
          jolly_info: '',
        },
        {
          codice_tariffa: '103',
          importo_eurocent: 2_500,
          scadenza: '17:44 07/04/2026',
          descrizione: 'PRIMA ATTIVAZIONE',
          jolly_info: '',
        },
      ],
    });
  });

  it('answers the renewal of an active title from the date of its expiry on', async () => {
    const { body } = await ask({ plate: 'ACTIVE' });
    // The active period ends at midnight of 1 April in Rome.
    expect(expiries(body)).toEqual(['17:44 01/04/2027', '17:44 01/05/2026']);
    expect(body).toMatchObject({
      operation: 'renewal',
      subscriptions_count: 1,
      options_count: 2,
      entitlements_count: 1,
    });
    expect(body).not.toHaveProperty('terminal_code');
  });

  it('answers the renewal of an expired title from the consultation on', async () => {
    const { body } = await ask({ plate: 'EXPIRED' });
    expect(expiries(body)).toEqual(['17:44 07/03/2027', '17:44 07/04/2026']);
    expect(body).toMatchObject({ operation: 'renewal', entitlements_count: 0 });
  });

  it('answers the plans that end within the authorization, where the type is sold so', async () => {
    expect(expiries((await ask({ plate: 'WITHIN' })).body)).toEqual(['17:44 07/04/2026']);
    expect((await ask({ plate: 'BEYOND' })).body).toMatchObject({
      result_code: 'NO_PARKING_METER_PLANS',
      tariffe: [],
    });
  });

  const CASES: readonly [ResultCode, string, object][] = [
    ['OPTIONS_AVAILABLE', 'ACTIVE', { subscriptions_count: 1, entitlements_count: 1 }],
    ['SUBSCRIPTION_NOT_FOUND', 'NOBODY', { subscriptions_count: 0, entitlements_count: 0 }],
    ['DIRECT_PURCHASE_NOT_SUPPORTED', 'FREE', { subscriptions_count: 0, entitlements_count: 0 }],
    ['PLATE_NOT_ACTIVE', 'LEFT', { subscriptions_count: 1 }],
    ['APPLICATION_NOT_APPROVED', 'PENDING', { subscriptions_count: 1 }],
    ['SUBSCRIPTION_REVOKED', 'REVOKED', { subscriptions_count: 1 }],
    ['SUBSCRIPTION_SUSPENDED', 'SUSPENDED', { subscriptions_count: 1 }],
    ['AUTHORIZATION_NOT_STARTED', 'EARLY', { subscriptions_count: 1 }],
    ['AUTHORIZATION_EXPIRED', 'OVER', { subscriptions_count: 1 }],
    ['FUTURE_RENEWAL_ALREADY_PRESENT', 'RENEWED', { entitlements_count: 1 }],
    ['RENEWAL_NOT_ALLOWED', 'CLOSED', { entitlements_count: 0 }],
    ['NO_PARKING_METER_PLANS', 'BARE', { entitlements_count: 1 }],
    ['MULTIPLE_SUBSCRIPTIONS_FOUND', 'TWO', { subscriptions_count: 2, entitlements_count: 1 }],
  ];

  it('has a case for each result code', () => {
    expect(CASES.map(([code]) => code).sort()).toEqual([...RESULT_CODES].sort());
  });

  it.each(CASES)('answers %s with 200 for the plate %s, in both languages', async (code, plate, counts) => {
    const eligible = code === 'OPTIONS_AVAILABLE';
    for (const language of ['en', 'it'] as const) {
      const { status, body, headers } = await ask({ plate }, { 'Accept-Language': language });
      expect([status, headers.get('Content-Language')]).toEqual([200, language]);
      expect(body).toMatchObject({
        ok: true,
        result_code: code,
        eligible,
        message: RESULT_TEXT[code][language],
        ...counts,
      });
      if (!eligible) {
        expect(body).toMatchObject({ operation: 'none', options_count: 0, tariffe: [] });
      }
    }
  });

  it('tells who has never used the title that a paid period starts later, and who has, that it was renewed', async () => {
    for (const [language, starts, renewed] of [
      ['en', 'starts later', 'renewed'],
      ['it', 'inizia più tardi', 'rinnovato'],
    ] as const) {
      const messageFor = async (plate: string) => {
        const { body } = await ask({ plate }, { 'Accept-Language': language });
        expect(body).toMatchObject({ result_code: 'FUTURE_RENEWAL_ALREADY_PRESENT', eligible: false });
        return body.message;
      };
      expect(await messageFor('PAID')).toContain(starts);
      expect(await messageFor('PAID')).not.toContain(renewed);
      expect(await messageFor('RENEWED')).toContain(starts);
      expect(await messageFor('RENEWED')).toContain(renewed);
    }
  });

  it('leaves freely sold subscriptions out where there is another', async () => {
    expect((await ask({ plate: 'BESIDE' })).body).toMatchObject({ eligible: true, subscriptions_count: 1 });
  });

  it('counts a valid title that is limited to areas among the entitlements', async () => {
    expect((await ask({ plate: 'LIMITED' })).body).toMatchObject({ eligible: true, entitlements_count: 1 });
  });

  it('opens the renewal so many days of 24 hours before the end', async () => {
    expect((await ask({ plate: 'WAITS' })).body).toMatchObject({ result_code: 'RENEWAL_NOT_ALLOWED' });
    expect((await ask({ plate: 'OPENS' })).body).toMatchObject({ result_code: 'OPTIONS_AVAILABLE' });
  });

  it('takes the consultation instant once', async () => {
    vi.setSystemTime(new Date('2026-10-25T02:30:59.500+01:00'));
    const { body } = await ask({ plate: 'FIRST' });
    expect(body.generated_at).toBe('2026-10-25T02:30:59.500+01:00');
    expect(expiries(body)).toEqual(['02:30 25/10/2027', '02:30 25/11/2026', '02:30 25/11/2026']);
  });

  it.each([
    ['a duration that is none', 'a month'],
    ['an expiry past the year 9999', 'P9000Y'],
  ])('leaves out a plan that no meter could print, and says so: %s', async (_, duration) => {
    const log = vi.spyOn(console, 'error');
    await env.DB.prepare(`update plans set duration = ? where code = '101'`).bind(duration).run();
    const { body } = await ask({ plate: 'ACTIVE' });
    await env.DB.prepare(`update plans set duration = 'P1M' where code = '101'`).run();
    expect(body).toMatchObject({ options_count: 1, tariffe: [{ codice_tariffa: '012' }] });
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toEqual([
      {
        event: 'plan_not_printable',
        request_id: body.request_id,
        municipality_code: 'H501',
        codice_tariffa: '101',
      },
    ]);
    log.mockRestore();
  });

  it('takes null and blank for absent', async () => {
    const { status, body } = await ask({ plate: 'FIRST', municipality_code: null, terminal_code: '  ' });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('terminal_code');
  });
});
