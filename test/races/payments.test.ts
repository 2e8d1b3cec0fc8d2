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
            ...((index + round) % 2 === 0 && { codice_tariffa: '102', importo_eurocent: 300 }),
          }),
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const codes = answers.map(({ body }) => body.result_code);
    // The first, and the renewal by the other plan. What comes between is one of the same plan, and what comes after finds it paid.
    expect(codes.filter((code) => code === 'PERIOD_CREATED')).toHaveLength(2);
    expect(['PERIOD_CREATED', 'POSSIBLE_DOUBLE_PAYMENT', 'FUTURE_RENEWAL_ALREADY_PRESENT']).toEqual(
      expect.arrayContaining(codes),
    );
    const [first, second] = (await storedPeriods()) as { starts_at: number; ends_at: number }[];
    expect([iso(first?.starts_at ?? 0), second?.starts_at]).toEqual([iso(NOW), first?.ends_at]);
  },
);
