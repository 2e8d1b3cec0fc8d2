import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import {
  type Answered,
  createPaymentOutbox,
  memoryStore,
  type Payment,
  type PaymentOutboxSettings,
  type SetAside,
} from '../../clients/client/payments/index.ts';
import { aTitle, CHECK, DAYS, iso, NOW, OPTIONS, payingCity } from '../payments/support.ts';
import { Service } from '../support/service.ts';

const city = payingCity();

/** A till that sells for the service itself, and what it has heard. */
function till(changed: Partial<PaymentOutboxSettings> = {}) {
  const service = new Service();
  const answered: Answered[] = [];
  const aside: SetAside[] = [];
  const inProcess: typeof fetch = async (input, init) => {
    const answer = await service.settle(new URL(String(input)).pathname, {
      ...{ method: init?.method ?? 'GET', headers: { ...(init?.headers as Record<string, string>) } },
      body: String(init?.body),
    });
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers: answer.headers });
  };
  const outbox = createPaymentOutbox({
    ...{ baseUrl: 'https://parking.test', token: city.credential().accessToken, inBackground: false },
    ...{ store: memoryStore(), fetch: inProcess, askWithinMs: 20_000 },
    onAnswered: (one) => void answered.push(one),
    onSetAside: (one) => void aside.push(one),
    ...changed,
  });
  return { outbox, answered, aside };
}

const paymentOf = (changed: Partial<Payment> = {}): Payment => ({
  ...{ payment_id: 'M17-1', plate: 'ab 123 cd', codice_tariffa: '101', importo_eurocent: 2_500 },
  ...{ collected_at: iso(NOW), terminal_code: 'METER-17', ...changed },
});
const isValid = async () => (await city.post(CHECK, { plate: 'AB123CD' })).body.has_valid_entitlement;

describe('A till that sells for the service itself', () => {
  it('makes a car valid from the answer on, until the payment is reversed', async () => {
    await city.importTitles(aTitle('S-1', 'AB123CD'));
    const { outbox, answered } = till();
    const offer = await city.post(OPTIONS, { plate: 'AB123CD', terminal_code: 'METER-17' });
    expect(await isValid()).toBe(false);
    const paid = await outbox.pay(paymentOf({ options_request_id: String(offer.body.request_id) }));
    expect(paid).toMatchObject({ ok: true, answer: { accepted: true, scadenza: '17:44 07/04/2026' } });
    expect(await isValid()).toBe(true);
    vi.setSystemTime(NOW + 60_000);
    expect(await outbox.reverse({ payment_id: 'M17-1', reversed_at: iso(NOW + 60_000) })).toMatchObject({
      ok: true,
      answer: { result_code: 'PAYMENT_REVERSED' },
    });
    expect(await isValid()).toBe(false);
    expect([answered.length, outbox.waiting]).toEqual([2, 0]);
  });

  it('hears what made no period as an answer, and not as a failure', async () => {
    const { outbox, aside } = till();
    expect(await outbox.pay(paymentOf())).toMatchObject({
      ok: true,
      answer: { accepted: false, result_code: 'SUBSCRIPTION_NOT_FOUND', scadenza: null },
    });
    expect([aside, outbox.waiting]).toEqual([[], 0]);
  });

  it('sends again once the municipality is active', async () => {
    await city.importTitles(aTitle('S-1', 'AB123CD'));
    const setActive = (active: boolean) =>
      env.DB.prepare('update municipalities set active = ? where id = 1').bind(Number(active)).run();
    await setActive(false);
    const { outbox, aside } = till({ municipalityCode: 'H501' });
    expect(await outbox.pay(paymentOf())).toMatchObject({ ok: false, code: 'MUNICIPALITY_NOT_ALLOWED' });
    expect([aside, outbox.waiting]).toEqual([[], 1]);
    await setActive(true);
    expect(await outbox.send()).toBe(true);
    expect(await isValid()).toBe(true);
  });

  it.each([
    ['a plate that is none', { plate: '--' }, 'INVALID_PLATE'],
    ['an amount that is none', { importo_eurocent: 0 }, 'INVALID_REQUEST'],
    ['a payment of two years ago', { collected_at: iso(NOW - DAYS(730)) }, 'COLLECTED_AT_OUT_OF_RANGE'],
    ['more than a body may hold', { plate: 'X'.repeat(9_000) }, 'PAYLOAD_TOO_LARGE'],
    ['a key that was used before', { payment_id: 'USED' }, 'PAYMENT_CONFLICT'],
  ])('sets aside %s', async (_, changed, code) => {
    const { outbox, aside } = till();
    await outbox.pay(paymentOf({ payment_id: 'USED', importo_eurocent: 300 }));
    expect(await outbox.pay(paymentOf(changed))).toMatchObject({ ok: false, code });
    expect(aside).toMatchObject([{ failure: { code } }]);
    expect(outbox.waiting).toBe(0);
  });

  it('waits for a clock that is seconds fast', async () => {
    const { outbox } = till();
    const early = paymentOf({ collected_at: iso(NOW + 8_000) });
    expect(await outbox.pay(early)).toMatchObject({ ok: false, code: 'COLLECTED_AT_IN_FUTURE' });
    vi.setSystemTime(NOW + 10_000);
    expect(await outbox.send()).toBe(true);
  });
});
