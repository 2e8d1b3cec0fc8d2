import { exportOfSubscription } from '../../../../src/office/subscriptions/contract.ts';
import { CITY, SUBSCRIBED } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const NUMBER = `SUB-${SUBSCRIBED}-1`;

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(exportOfSubscription, {
    section: 'Administration',
    summary: 'Look a subscription up by its number',
    words:
      'Returns a subscription with all its plates, in the form of an import’s line. To renew or end it, change the line and import it without `paid_periods`. It is personal data, and the call is logged.',
    body: {
      words: 'The subscription to look up.',
      examples: {
        number: {
          summary: 'A number',
          value: { municipality_code: CITY.code, subscription_number: NUMBER },
        },
      },
    },
    answer: {
      words: 'The subscription.',
      example: {
        ...ENVELOPE,
        municipality_code: CITY.code,
        subscription: {
          subscription_number: NUMBER,
          revision: null,
          type: 'RES',
          plates: [{ plate: SUBSCRIBED, valid_from: null, valid_until: null }],
          approval: 'approved',
          authorized_from: null,
          authorized_until: null,
          areas: 'all',
          suspended_from: null,
          suspended_until: null,
          revoked_at: null,
          periods: [{ starts_at: '2026-03-01T00:00:00+01:00', ends_at: '2026-04-01T00:00:00+02:00' }],
        },
        paid_periods: [],
      },
    },
  }),
];
