import { exportOfSubscription } from '../../../../src/office/subscriptions/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { CITY, SUBSCRIBED } from '../samples.ts';

const NUMBER = `SUB-${SUBSCRIBED}-1`;

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', exportOfSubscription, {
    summary: 'Look a subscription up by its number',
    words:
      'Returns a subscription with all its plates, in the form of an import’s line. To renew or end it, change the line and import it without `paid_periods`. It is personal data, and the call is logged.',
    request: { municipality_code: CITY.code, subscription_number: NUMBER },
    answer: {
      subscription: {
        subscription_number: NUMBER,
        plates: [{ plate: SUBSCRIBED }],
        periods: [{ starts_at: '2026-03-01T00:00:00+01:00', ends_at: '2026-04-01T00:00:00+02:00' }],
      },
      paid_periods: [],
    },
  }),
];
