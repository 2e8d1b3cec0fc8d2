import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { mustPut } from '../configuration/support.ts';
import { Service } from '../support/service.ts';
import {
  aPayment,
  aTitle,
  CHECK,
  iso,
  NOW,
  OFFICE_REVERSE,
  OFFICE_SEARCH,
  OPTIONS,
  payingCity,
  SETTLE,
  storedPeriods,
} from './support.ts';

const { pay, reverse, search, admin, importTitles, post } = payingCity();

/** `subscriptions[0].reason_code` of a plate check. */
async function reasonAt(at: number, plate = 'AB123CD'): Promise<unknown> {
  vi.setSystemTime(at);
  const { body } = await post(CHECK, { plate });
  return (body.subscriptions as { reason_code: string }[])[0]?.reason_code;
}

describe('A payment', () => {
  it('makes the period of a title that waits for it, at once', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    expect(await reasonAt(NOW)).toBe('FIRST_ACTIVATION_REQUIRED');
    const answer = await pay(aPayment({ plate: ' ab 123-cd ', terminal_code: ' T-1 ' }));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      ok: true,
      request_id: answer.headers.get('X-Request-Id'),
      api_version: '2.1',
      result_code: 'PERIOD_CREATED',
      message: 'The payment is recorded, and the subscription is valid until the expiry.',
      accepted: true,
      already_recorded: false,
      payment_id: 'P-1',
      plate: 'AB123CD',
      municipality: { code: 'H501', name: 'Roma' },
      terminal_code: 'T-1',
      timezone: 'Europe/Rome',
      collected_at: '2026-03-07T17:44:12+01:00',
      recorded_at: expect.stringMatching(/^2026-03-07T17:44:12/),
      subscription_number: 'R-1',
      operation: 'first_activation',
      codice_tariffa: '101',
      importo_eurocent: 2_500,
      expected_eurocent: 2_500,
      period: { starts_at: '2026-03-07T17:44:12+01:00', ends_at: '2026-04-07T17:44:12+02:00' },
      scadenza: '17:44 07/04/2026',
    });
    expect(await reasonAt(NOW)).toBe('VALID_SUBSCRIPTION');
    expect(await reasonAt(Date.UTC(2026, 3, 7, 15, 44, 11, 999))).toBe('VALID_SUBSCRIPTION');
    expect(await reasonAt(Date.UTC(2026, 3, 7, 15, 44, 12))).toBe('PERIOD_EXPIRED');
  });

  it('renews from the end of the running period, and the options query knows it', async () => {
    const periods = [{ starts_at: iso(NOW - DAY_MS), ends_at: '2026-03-31T00:00:00+02:00' }];
    await importTitles(aTitle('R-1', 'AB123CD', { periods }));
    const { body } = await pay(aPayment());
    expect(body).toMatchObject({
      operation: 'renewal',
      period: { starts_at: '2026-03-31T00:00:00+02:00', ends_at: '2026-04-30T17:44:12+02:00' },
      scadenza: '17:44 30/04/2026',
    });
    const options = await post(OPTIONS, { plate: 'AB123CD' });
    expect(options.body.result_code).toBe('FUTURE_RENEWAL_ALREADY_PRESENT');
  });

  it('that makes no period is stored, and waits for the office', async () => {
    const { status, body } = await pay(aPayment());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result_code: 'SUBSCRIPTION_NOT_FOUND',
      accepted: false,
      subscription_number: null,
      operation: 'none',
      expected_eurocent: null,
      period: null,
      scadenza: null,
    });
  });

  it('sent again is answered as the first time, and makes nothing', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const first = await pay(aPayment());
    const periods = await storedPeriods();
    vi.setSystemTime(NOW + DAY_MS);
    const again = await pay(aPayment({ plate: 'AB 123 CD' }));
    expect(again.body).toEqual({
      ...first.body,
      request_id: again.headers.get('X-Request-Id'),
      already_recorded: true,
    });
    expect(await storedPeriods()).toEqual(periods);
  });

  it.each([
    { plate: 'AB123CE' },
    { codice_tariffa: '102' },
    { importo_eurocent: 1 },
    { collected_at: iso(NOW + 1) },
  ])('with the same key and something else is a conflict: %j', async (other) => {
    await pay(aPayment());
    const { status, body } = await pay(aPayment(other));
    expect(status).toBe(409);
    expect((body.error as { code: string }).code).toBe('PAYMENT_CONFLICT');
  });

  it('is compared by its instant as it was sent, where that was ahead', async () => {
    const ahead = aPayment({ collected_at: iso(NOW + 5_000) });
    expect((await pay(ahead)).body.collected_at).toBe('2026-03-07T17:44:12+01:00');
    expect((await pay(ahead)).body.already_recorded).toBe(true);
  });

  it('twenty times at once makes one period', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(aPayment(), new Service())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers.filter(({ body }) => body.already_recorded === false)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.recorded_at)).size).toBe(1);
    expect(await storedPeriods()).toHaveLength(1);
  });

  it('of a title that was paid a moment ago names it, and its price', async () => {
    await importTitles(aTitle('R-1', 'AB123CD', { plates: [{ plate: 'AB123CD' }, { plate: 'B1' }] }));
    await pay(aPayment({ collected_at: iso(NOW - 10 * MINUTE_MS + 1) }));
    expect((await pay(aPayment({ payment_id: 'P-2', plate: 'B1' }))).body).toMatchObject({
      result_code: 'POSSIBLE_DOUBLE_PAYMENT',
      expected_eurocent: 2_500,
      subscription_number: 'R-1',
    });
  });

  it.each([
    [{ collected_at: iso(NOW + 5_001) }, 'COLLECTED_AT_IN_FUTURE'],
    [{ collected_at: iso(NOW - 400 * DAY_MS - 1) }, 'COLLECTED_AT_OUT_OF_RANGE'],
    [{ plate: 'ß' }, 'INVALID_PLATE'],
    [{ payment_id: ' ' }, 'INVALID_REQUEST'],
    [{ payment_id: 'x'.repeat(65) }, 'INVALID_REQUEST'],
    [{ codice_tariffa: '000' }, 'INVALID_REQUEST'],
    [{ importo_eurocent: 0 }, 'INVALID_REQUEST'],
    [{ subscription_numer: 'R-1' }, 'INVALID_REQUEST'],
  ])('is refused for %j: %s', async (deviation, code) => {
    const { status, body } = await pay(aPayment(deviation));
    expect(status).toBe(422);
    expect((body.error as { code: string }).code).toBe(code);
  });

  it('is stored where the municipality sells nothing', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    await env.DB.prepare(
      'update municipalities set subscriptions_enabled = 0, subscription_options_enabled = 0',
    ).run();
    expect((await pay(aPayment())).body.result_code).toBe('PERIOD_CREATED');
    await env.DB.prepare('update municipalities set active = 0 where id = 1').run();
    expect((await pay(aPayment({ payment_id: 'P-2' }))).status).toBe(403);
  });

  it('is kept whole in the call log', async () => {
    const answer = await pay(aPayment());
    const call = await env.DB.prepare(
      'select operation, outcome, request, response from logged_calls where request_id = ?1',
    )
      .bind(answer.headers.get('X-Request-Id'))
      .first<{ request: string; response: string }>();
    expect(call).toMatchObject({ operation: 'subscription_payment', outcome: 'SUBSCRIPTION_NOT_FOUND' });
    expect(JSON.parse(call?.request ?? '')).toEqual(aPayment());
    expect(JSON.parse(call?.response ?? '')).toEqual(answer.body);
  });
});

describe('A plan', () => {
  const configure = (plan: object) =>
    mustPut({ municipalities: [{ code: 'H501', plans: [{ codice_tariffa: '101', ...plan }] }] });

  it('counts for an hour as it was configured before', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const plan = { subscription_type: 'RES', duration: 'P1M', importo_eurocent: 2_500 };
    await configure({ ...plan, descrizione: 'UN MESE' });
    const changedAt = NOW + 2_000;
    vi.setSystemTime(changedAt);
    await configure({ importo_eurocent: 9_900, duration: 'P1Y' });
    vi.setSystemTime(NOW + 2 * HOUR_MS);
    const late = { collected_at: iso(changedAt + HOUR_MS + 1_000), payment_id: 'P-0' };
    expect((await pay(aPayment(late))).body).toMatchObject({
      result_code: 'AMOUNT_MISMATCH',
      expected_eurocent: 9_900,
    });
    // A change after the collection says nothing of what the driver had seen.
    const early = { collected_at: iso(NOW), payment_id: 'P-1', importo_eurocent: 1 };
    expect((await pay(aPayment(early))).body).toMatchObject({
      result_code: 'AMOUNT_MISMATCH',
      expected_eurocent: 9_900,
    });
    const inTime = { collected_at: iso(changedAt + HOUR_MS - 1_000), payment_id: 'P-2' };
    expect((await pay(aPayment(inTime))).body).toMatchObject({
      result_code: 'PERIOD_CREATED',
      expected_eurocent: 2_500,
      scadenza: '18:44 07/04/2026',
    });
  });

  it('that is sold no more counts as it was sold within the hour, by its price, else as it was last', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    await configure({
      subscription_type: 'RES',
      duration: 'P1M',
      importo_eurocent: 2_500,
      descrizione: 'MESE',
    });
    const changes = [
      { importo_eurocent: 3_000 },
      { importo_eurocent: 4_000 },
      { importo_eurocent: 5_000, active: false },
    ];
    for (const [index, change] of changes.entries()) {
      vi.setSystemTime(NOW + (index + 1) * 1_000);
      await configure(change);
    }
    vi.setSystemTime(NOW + MINUTE_MS);
    const outcomeOf = async (importo_eurocent: number) => {
      const payment_id = `P-${importo_eurocent}`;
      const { body } = await pay(
        aPayment({ payment_id, importo_eurocent, collected_at: iso(NOW + MINUTE_MS) }),
      );
      return [body.result_code, body.expected_eurocent];
    };
    expect(await outcomeOf(1)).toEqual(['AMOUNT_MISMATCH', 4_000]);
    expect(await outcomeOf(5_000)).toEqual(['AMOUNT_MISMATCH', 4_000]);
    expect(await outcomeOf(3_000)).toEqual(['PERIOD_CREATED', 3_000]);
  });
});

describe('A reversal', () => {
  const reversal = (deviation: object = {}) => ({
    payment_id: 'P-1',
    reversed_at: iso(NOW + MINUTE_MS),
    ...deviation,
  });

  it('ends a running period now, and no check that was right becomes wrong', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    await pay(aPayment());
    expect(await reasonAt(NOW + MINUTE_MS)).toBe('VALID_SUBSCRIPTION');
    expect((await reverse(reversal({ reversed_at: iso(NOW), reason: 'no receipt' }))).body).toMatchObject({
      result_code: 'PAYMENT_REVERSED',
      accepted: true,
      payment: { state: 'reversed', reversed_at: '2026-03-07T17:44:12+01:00' },
    });
    expect(await storedPeriods()).toMatchObject([{ starts_at: NOW, ends_at: NOW + MINUTE_MS }]);
    expect(await reasonAt(NOW + MINUTE_MS + 1)).toBe('PERIOD_EXPIRED');
    const again = await reverse(reversal({ reversed_at: iso(NOW) }));
    expect(again.body).toMatchObject({ result_code: 'ALREADY_REVERSED', accepted: true });
  });

  it('is no activation: the title is sold as one that was never activated', async () => {
    await importTitles(aTitle('R-1', 'AB123CD', { type: 'CLOSED' }));
    await env.DB.prepare(`update plans set subscription_type_id = 3 where code = '101'`).run();
    expect((await pay(aPayment())).body.operation).toBe('first_activation');
    vi.setSystemTime(NOW + MINUTE_MS);
    expect((await post(OPTIONS, { plate: 'AB123CD' })).body.result_code).toBe('RENEWAL_NOT_ALLOWED');
    await reverse(reversal());
    vi.setSystemTime(NOW + HOUR_MS);
    expect((await post(OPTIONS, { plate: 'AB123CD' })).body).toMatchObject({
      result_code: 'OPTIONS_AVAILABLE',
      operation: 'first_activation',
    });
    const again = aPayment({ payment_id: 'P-2', collected_at: iso(NOW + HOUR_MS) });
    expect((await pay(again)).body).toMatchObject({ accepted: true, operation: 'first_activation' });
  });

  it('of what is not known says so, and one before the collection is refused', async () => {
    vi.setSystemTime(NOW + MINUTE_MS);
    expect((await reverse(reversal())).body).toMatchObject({
      result_code: 'PAYMENT_NOT_FOUND',
      accepted: false,
      payment: null,
    });
    await pay(aPayment());
    expect((await reverse(reversal({ reversed_at: iso(NOW - 1) }))).status).toBe(422);
    expect((await reverse(reversal({ reversed_at: iso(NOW) }))).body.result_code).toBe('PAYMENT_REVERSED');
  });
});

describe('The office', () => {
  const DAY = { from: iso(NOW - HOUR_MS), until: iso(NOW + HOUR_MS) };
  const loggedCalls = async (action: string) => {
    const query = 'select http_status, target from calls where action = ?1 order by http_status, target';
    return (await env.DB.prepare(query).bind(action).all()).results;
  };

  it('finds what waits for it, and settles it', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    await pay(aPayment());
    await pay(aPayment({ payment_id: 'P-2', plate: 'B1', terminal_code: 'T' }));
    const unsettled = await admin(OFFICE_SEARCH, { municipality_code: 'H501', ...DAY, state: 'unsettled' });
    expect(unsettled.body).toMatchObject({
      payments: [{ payment_id: 'P-2', state: 'unsettled', settled: null }],
      next: null,
      totals: { accepted: { count: 1, eurocent: 2_500 }, unsettled: { count: 1, eurocent: 2_500 } },
    });
    const blank = { payment_id: ' ', terminal_code: '', state: '', after: ' ' };
    expect((await admin(OFFICE_SEARCH, { municipality_code: 'H501', ...DAY, ...blank })).body).toMatchObject({
      payments: [{ payment_id: 'P-1' }, { payment_id: 'P-2' }],
    });
    const settlement = { municipality_code: 'H501', payment_id: 'P-2', outcome: 'refunded', note: 'bank' };
    expect((await admin(SETTLE, settlement)).body).toMatchObject({
      payment: { state: 'settled', settled: { outcome: 'refunded', note: 'bank' } },
    });
    expect((await admin(SETTLE, settlement)).status).toBe(422);
    expect((await admin(SETTLE, { ...settlement, payment_id: 'P-1' })).status, 'accepted').toBe(422);
    expect((await admin(SETTLE, { ...settlement, payment_id: 'P-3' })).status).toBe(404);
    expect((await admin(SETTLE, { ...settlement, municipality_code: 'X' })).status).toBe(404);
    await vi.waitFor(async () =>
      expect(await loggedCalls('payment.settle')).toEqual([
        { http_status: 200, target: 'H501' },
        { http_status: 404, target: 'H501' },
        { http_status: 404, target: 'X' },
        { http_status: 422, target: 'H501' },
        { http_status: 422, target: 'H501' },
      ]),
    );
    expect((await search({ ...DAY, terminal_code: 'T' })).body).toMatchObject({
      payments: [{ payment_id: 'P-2', state: 'settled' }],
      totals: { accepted: { count: 0, eurocent: 0 }, settled: { count: 1, eurocent: 2_500 } },
    });
    vi.setSystemTime(NOW + HOUR_MS);
    expect((await reverse({ payment_id: 'P-2', reversed_at: iso(NOW) })).body.result_code).toBe(
      'PAYMENT_REVERSED',
    );
  });

  it('reverses a payment as a collector does, and the log says so', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    await pay(aPayment());
    vi.setSystemTime(NOW + MINUTE_MS);
    const reversal = { municipality_code: 'H501', payment_id: 'P-1', reversed_at: iso(NOW) };
    expect((await admin(OFFICE_REVERSE, reversal)).body).toMatchObject({
      result_code: 'PAYMENT_REVERSED',
      payment: { state: 'reversed' },
    });
    expect((await admin(OFFICE_REVERSE, reversal)).body.result_code).toBe('ALREADY_REVERSED');
    const unknown = { ...reversal, payment_id: 'P-2' };
    expect((await admin(OFFICE_REVERSE, unknown)).body.result_code).toBe('PAYMENT_NOT_FOUND');
    expect((await admin(OFFICE_REVERSE, { ...reversal, municipality_code: 'X' })).status).toBe(404);
    await vi.waitFor(async () => expect(await loggedCalls('payment.reverse')).toHaveLength(4));
  });

  it('finds those of a window, its start and not its end, a thousand at a time by instant and key', async () => {
    await env.DB.prepare(
      `insert into payments (municipality_id, payment_id, plate, plan_code, amount_cents, collected_at, sent_collected_at, recorded_at, result_code)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < 2004)
       select 1, 'L-' || (10000 - i), 'B1', '101', 100, ?1 + i / 2, ?1 + i / 2, ?1, 'SUBSCRIPTION_NOT_FOUND' from n`,
    )
      .bind(NOW)
      .run();
    const window = { from: iso(NOW + 1), until: iso(NOW + 1_002) };
    const found: string[] = [];
    let after: unknown;
    for (let pages = 0; after !== null && pages < 3; pages++) {
      const { body } = await search({ ...window, ...(after !== undefined && { after }) });
      found.push(...(body.payments as { payment_id: string }[]).map(({ payment_id }) => payment_id));
      expect(body.totals).toMatchObject({ unsettled: { count: 2_002, eurocent: 200_200 } });
      after = body.next;
    }
    const expected = Array.from({ length: 1_001 }, (_, n) => [9_997 - 2 * n, 9_998 - 2 * n]).flat();
    expect(found).toEqual(expected.map((number) => `L-${number}`));
  });

  it.each([
    [{ payment_id: 'P-1', from: DAY.from }],
    [{ from: DAY.from }],
    [{}],
    [{ from: DAY.until, until: DAY.until }],
    [{ from: DAY.from, until: iso(NOW - HOUR_MS + 31 * DAY_MS + 1) }],
    [{ ...DAY, after: 'x' }],
    [{ ...DAY, state: 'paid' }],
  ])('is refused a search for %j', async (body) => {
    expect((await search(body)).status).toBe(422);
  });
});
