import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { LOST } from '../faults/breakable.ts';
import { CUTS, cutOffAt } from '../support/doubles.ts';
import { type Answer, Service } from '../support/service.ts';
import { aPayment, aTitle, iso, NOW, payingCity, storedPeriods } from './support.ts';

const { pay, reverse, importTitles } = payingCity();

/** D1 says the first of an error that may pass, and then we try again; the second is for good. */
const ERRORS = [LOST, 'D1_ERROR: the call was killed'];
const cases = CUTS.flatMap((cut) => ERRORS.map((message) => [cut, message] as const));

/** Makes a call whose round trips fail, one in each turn, and looks at what has become of it. */
async function atEachTrip(
  begin: () => Promise<unknown>,
  call: (service: Service) => Promise<Answer>,
  of: (typeof cases)[number],
  look: (cutOff: Answer, again: Answer) => Promise<void>,
): Promise<void> {
  for (let at = 1; ; at += 1) {
    await begin();
    const { DB, trips } = cutOffAt(at, ...of);
    const cutOff = await call(new Service({ DB }));
    if (trips() < at) {
      // Reading, and storing.
      expect(at).toBeGreaterThan(2);
      return;
    }
    expect([200, 500]).toContain(cutOff.status);
    await look(cutOff, await call(new Service()));
  }
}

const count = (table: string) => env.DB.prepare(`select count(*) as n from ${table}`).first<number>('n');
const anew = () => env.DB.batch(['payments', 'calls'].map((table) => env.DB.prepare(`delete from ${table}`)));

beforeEach(async () => {
  for (const level of ['log', 'warn', 'error'] as const) vi.spyOn(console, level).mockReturnValue();
  await importTitles(aTitle('R-1', 'AB123CD'));
  return () => vi.restoreAllMocks();
});

describe('A payment that is cut off at any round trip, and sent again,', () => {
  it.each(cases)('is there once (%s, %s)', async (...of) => {
    await atEachTrip(
      anew,
      (service) => pay(aPayment(), service),
      of,
      async (cutOff, again) => {
        expect([again.status, again.body.result_code]).toEqual([200, 'PERIOD_CREATED']);
        if (cutOff.status === 200) {
          expect(cutOff.body).toMatchObject({ accepted: true, already_recorded: false });
          expect(again.body.recorded_at).toBe(cutOff.body.recorded_at);
          expect(again.body.already_recorded).toBe(true);
        }
        expect(await count('payments')).toBe(1);
        expect(await storedPeriods()).toMatchObject([{ number: 'R-1', paid_by: 'P-1', starts_at: NOW }]);
      },
    );
  });
});

describe('A reversal that is cut off at any round trip, and sent again,', () => {
  it.each(cases)('is there once (%s, %s)', async (...of) => {
    const begin = async () => {
      vi.setSystemTime(NOW);
      await anew();
      await pay(aPayment());
      vi.setSystemTime(NOW + MINUTE_MS);
    };
    const body = { payment_id: 'P-1', reversed_at: iso(NOW + MINUTE_MS) };
    await atEachTrip(
      begin,
      (service) => reverse(body, service),
      of,
      async (cutOff, again) => {
        const code = cutOff.status === 200 ? 'ALREADY_REVERSED' : /PAYMENT_REVERSED|ALREADY_REVERSED/;
        expect([again.status, again.body.accepted]).toEqual([200, true]);
        expect(again.body.result_code).toMatch(code);
        if (cutOff.status === 200) expect(cutOff.body.result_code).toBe('PAYMENT_REVERSED');
        expect(await count('payments where reversed_at is not null')).toBe(1);
        // It ends when the reversal was recorded: changes of one millisecond follow one another.
        const [period, ...others] = (await storedPeriods()) as { ends_at: number }[];
        expect([period?.ends_at, others]).toEqual([expect.closeTo(NOW + MINUTE_MS, -2), []]);
      },
    );
  });
});
