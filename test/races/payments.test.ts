import { expect, it } from 'vitest';
import { aPayment, aTitle, iso, NOW, payingCity, storedPeriods } from '../payments/support.ts';
import { shortOrThorough } from '../support/run-form.ts';

const { pay, importTitles } = payingCity();

it.each(Array.from({ length: shortOrThorough(3, 30) }, (_, index) => index))(
  'Payments of one title at once follow one another, as if they had come so (round %i)',
  async (round) => {
    await importTitles(aTitle('R-1', 'AB123CD'));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        pay(
          aPayment({
            payment_id: `P-${index}`,
            collected_at: iso(NOW - index * 1_000),
            ...((index + round) % 2 === 0 && { codice_tariffa: '102', importo_eurocent: 300 }),
          }),
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const codes = answers.map(({ body }) => body.result_code);
    expect(['PERIOD_CREATED', 'POSSIBLE_DOUBLE_PAYMENT', 'FUTURE_RENEWAL_ALREADY_PRESENT']).toEqual(
      expect.arrayContaining([...new Set(codes)]),
    );
    // The first, and perhaps a renewal by the other plan: it starts where that one ends.
    const periods = (await storedPeriods()) as { starts_at: number; ends_at: number }[];
    expect(periods).toHaveLength(codes.filter((code) => code === 'PERIOD_CREATED').length);
    const [first, ...renewals] = periods;
    expect(renewals.map(({ starts_at }) => starts_at)).toEqual(renewals.map(() => first?.ends_at));
  },
);
