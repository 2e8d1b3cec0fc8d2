import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { mustPut } from '../configuration/support.ts';
import { Service } from '../support/service.ts';
import { aPayment, aTitle, iso, NOW, payingCity, SETTLE, storedPeriods } from './support.ts';

const { pay, reverse, search, admin, importTitles, post } = payingCity();
const PLATE = { tenant: 'acme', plate: 'AB123CD' };
const EXPORT = '/api/v2/admin/plates/export';
const ERASE = '/api/v2/admin/plates/erase';

describe('Payments of a plate', () => {
  it('are exported, as they were answered', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const { body: paid } = await pay(aPayment());
    await pay(aPayment({ payment_id: 'P-2', plate: 'B1' }));
    const { body } = await admin(EXPORT, PLATE);
    const { success: _s, ok: _o, request_id, api_version: _v, ...answered } = paid;
    expect(body.payments).toEqual([
      { municipality_code: 'H501', ...answered, state: 'accepted', reversed_at: null, settled: null },
    ]);
    const history = body.history as { kind: string }[];
    expect(history.map(({ kind }) => kind)).toEqual(['subscription', 'payment']);
    expect(history.at(-1)).toMatchObject({
      ...{ request_id, key: 'P-1', replaced_at: null, record: { period: paid.period } },
    });
    expect(body.calls).toMatchObject([{ operation: 'subscription_payment' }]);
  });

  it('are known to evidence from when they were recorded, and never earlier', async () => {
    await mustPut({ municipalities: [{ code: 'H501', name: 'Roma Capitale' }] });
    await importTitles(aTitle('R-1', 'AB123CD'));
    vi.setSystemTime(NOW + 2 * 3_600_000);
    await pay(aPayment());
    vi.setSystemTime(NOW + 3 * 3_600_000);
    const at = iso(NOW + 1_000);
    const evidence = (known_at: number) =>
      post('/api/v2/evidence/search', { plate: 'AB123CD', at, known_at: iso(known_at) });
    const before = await evidence(NOW + 2 * 3_600_000 - 1);
    expect(before.body.as_known_then).toMatchObject({ has_valid_subscription: false });
    expect(before.body.as_known_now).toMatchObject({ has_valid_subscription: true });
    const after = await evidence(NOW + 2 * 3_600_000 + 1_000);
    expect(after.body.as_known_then).toMatchObject({ has_valid_subscription: true });
  });

  it('lose it by an erasure, keep their amounts, and can still be reversed', async () => {
    await importTitles(aTitle('AB123CD-1', 'AB123CD', { plates: [{ plate: 'AB123CD' }, { plate: 'B1' }] }));
    await pay(aPayment({ payment_id: 'ab-123-cd/1' }));
    await pay(aPayment({ payment_id: 'P-2', plate: 'B1', collected_at: iso(NOW - 1) }));
    const pending = { plates: [{ plate: 'AB123CD' }, { plate: 'B1' }], approval: 'pending' };
    await importTitles(aTitle('AB123CD-1', 'AB123CD', pending));
    const erased = await admin(ERASE, PLATE);
    expect(erased.body).toMatchObject({ erased: { payments: 1, subscriptions: 1 }, next: null });
    expect((await admin(ERASE, PLATE)).body).toMatchObject({ erased: { payments: 0, calls: 0 } });
    const everything = await env.DB.prepare(
      `select (select json_group_array(json_array(payment_id, plate)) from payments)
         || (select json_group_array(subscription_number) from subscriptions) as stored`,
    ).first<{ stored: string }>();
    expect(everything?.stored).not.toMatch(/AB.?123.?CD/i);
    expect(everything?.stored).toMatch(/\*[0-9a-f]{64}/);
    const again = await pay(aPayment({ payment_id: 'ab-123-cd/1' }));
    expect(again.body).toMatchObject({ already_recorded: true, importo_eurocent: 2_500 });
    expect((await search({ payment_id: 'P-2' })).body).toMatchObject({
      payments: [{ subscription_number: expect.stringMatching(/^\*/) }],
    });
    vi.setSystemTime(NOW + 60_000);
    const { body } = await reverse({
      payment_id: 'ab-123-cd/1',
      reversed_at: iso(NOW),
    });
    expect(body.result_code).toBe('PAYMENT_REVERSED');
    expect(await storedPeriods()).toMatchObject([{ ends_at: NOW + 60_000 }]);
  });

  it('are found, settled and reversed by the key that is listed since an erasure', async () => {
    await pay(aPayment({ payment_id: 'AB123CD/1' }));
    await admin(ERASE, PLATE);
    const day = { from: iso(NOW - 1_000), until: iso(NOW + 1_000) };
    const listed = (await search(day)).body.payments as { payment_id: string }[];
    const payment_id = listed[0]?.payment_id ?? '';
    expect(payment_id).toMatch(/^\*[0-9a-f]{64}$/);
    expect((await search({ payment_id })).body.payments).toEqual(listed);
    const settlement = { municipality_code: 'H501', payment_id, outcome: 'refunded' };
    expect((await admin(SETTLE, settlement)).body).toMatchObject({ payment: { state: 'settled' } });
    const reversal = { payment_id, reversed_at: iso(NOW) };
    expect((await reverse(reversal)).body.result_code).toBe('PAYMENT_REVERSED');
    const tooLong = { payment_id: 'x'.repeat(65) };
    expect((await search(tooLong)).status).toBe(422);
    expect((await pay(aPayment({ payment_id }))).status, 'no new one has such a key').toBe(422);
  });

  it('keep no terminal and no note that spells an erased plate', async () => {
    const settlement = { municipality_code: 'H501', outcome: 'refunded' };
    const payments = [
      { payment_id: 'P-1', terminal_code: 'van ab 123 cd' },
      { payment_id: 'ab123cd', terminal_code: 'T-1' },
    ];
    for (const each of payments) await pay(aPayment(each));
    await admin(SETTLE, { ...settlement, payment_id: 'P-1', note: 'by bank' });
    await admin(SETTLE, { ...settlement, payment_id: 'ab123cd', note: 'owner of AB-123-CD' });
    const reversed_at = iso(NOW);
    await reverse({ payment_id: 'P-1', reversed_at, reason: 'AB123CD left' });
    await reverse({ payment_id: 'ab123cd', reversed_at, reason: 'failed' });
    await admin(ERASE, PLATE);
    const { results } = await env.DB.prepare(
      'select terminal_code, reversal_reason, settled_note from payments order by terminal_code',
    ).all();
    expect(results).toEqual([
      { terminal_code: '***', reversal_reason: '***', settled_note: 'by bank' },
      { terminal_code: 'T-1', reversal_reason: 'failed', settled_note: '***' },
    ]);
  });

  it('of an erased plate are stored without it, where they were collected before', async () => {
    vi.setSystemTime(NOW + 60_000);
    await admin(ERASE, PLATE);
    const late = aPayment({ payment_id: 'AB123CD/1', terminal_code: 'van ab 123 cd' });
    const { body } = await pay(late);
    expect(body).toMatchObject({
      plate: expect.stringMatching(/^\*/),
      payment_id: 'AB123CD/1',
      terminal_code: '***',
      already_recorded: false,
    });
    expect((await pay(late)).body).toMatchObject({ plate: body.plate, already_recorded: true });
    const stored = await env.DB.prepare('select payment_id, plate from payments').all<
      Record<string, string>
    >();
    expect(stored.results).toEqual([
      { payment_id: expect.stringMatching(/^\*[0-9a-f]{64}$/), plate: body.plate },
    ]);
    const erasedAt = await env.DB.prepare('select erased_at from erased_plates').first<number>('erased_at');
    const since = aPayment({ payment_id: 'P-2', collected_at: iso(erasedAt ?? 0) });
    vi.setSystemTime(NOW + 120_000);
    expect((await pay(since)).body.plate).toBe('AB123CD');
  });

  it('are refused without a digest key, once any plate is erased: nobody could tell which', async () => {
    const keyless = new Service({ DIGEST_KEY: '' });
    expect((await pay(aPayment({ plate: 'B1' }), keyless)).status).toBe(200);
    await admin(ERASE, PLATE);
    const late = await pay(aPayment({ payment_id: 'P-2' }), keyless);
    expect(late).toMatchObject({ status: 500, body: { error: { code: 'TEMPORARY_ERROR' } } });
    expect((await pay(aPayment({ payment_id: 'P-2' }))).body.already_recorded).toBe(false);
  });

  it('name a subscription by the number that an erasure replaced, and are reversed', async () => {
    await importTitles(aTitle('AB123CD-1', 'AB123CD', { plates: [{ plate: 'AB123CD' }, { plate: 'B1' }] }));
    await admin(ERASE, PLATE);
    const { body } = await pay(aPayment({ plate: 'B1', subscription_number: 'AB123CD-1' }));
    expect(body).toMatchObject({
      result_code: 'PERIOD_CREATED',
      subscription_number: expect.stringMatching(/^\*/),
    });
    expect((await reverse({ payment_id: 'P-1', reversed_at: iso(NOW) })).body).toMatchObject({
      accepted: true,
      result_code: 'PAYMENT_REVERSED',
    });
  });

  it('lose their keys in kept calls by an erasure, and are in none that is made since', async () => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const payment_id = 'AB123CD-1';
    const keeping = async () => {
      const { results } = await env.DB.prepare(
        `select request from calls where coalesce(request, '') || coalesce(response, '') like '%AB123CD%'`,
      ).all();
      return results;
    };
    await pay(aPayment({ payment_id }));
    expect((await reverse({ payment_id, reversed_at: iso(NOW - 1) })).status).toBe(422);
    await admin(ERASE, PLATE);
    expect(await keeping()).toEqual([]);
    await pay(aPayment({ payment_id }));
    expect((await pay(aPayment({ payment_id, importo_eurocent: 1 }))).status).toBe(409);
    expect((await reverse({ payment_id, reversed_at: iso(NOW - 1) })).status).toBe(422);
    expect(await keeping()).toEqual([]);
    vi.setSystemTime(NOW + 60_000);
    await reverse({ payment_id, reversed_at: iso(NOW) });
    expect(await keeping()).toEqual([]);
    expect((await admin(ERASE, PLATE)).body).toMatchObject({ erased: { payments: 0, calls: 0 } });
  });

  it('put a plate in doubt at each of its sightings while they are unsettled', async () => {
    await pay(aPayment());
    vi.setSystemTime(NOW + 3_600_000);
    const checks = [NOW, NOW + 1, NOW + 3_600_000].map((at, id) => ({
      ...{ id: String(id), plate: 'AB123CD', area_code: 'S1', seen_at: iso(at) },
    }));
    const inDoubt = async () => {
      const { body } = await post('/api/v2/patrol/checks', { municipality_code: 'H501', checks });
      const results = body.results as { doubts: { code: string }[] }[];
      return results.map(({ doubts }) => doubts.some(({ code }) => code === 'PAYMENT_UNSETTLED'));
    };
    expect(await inDoubt()).toEqual([false, true, true]);
    await admin(SETTLE, { municipality_code: 'H501', payment_id: 'P-1', outcome: 'corrected' });
    expect(await inDoubt()).toEqual([false, false, false]);
  });
});
