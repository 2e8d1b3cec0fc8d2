import { exportOfPlate } from '../../../../src/export/operation.ts';
import { PARKED, TENANT } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(exportOfPlate, {
    section: 'Administration',
    summary: 'Export what is held on a plate',
    words:
      'Everything that is held on a plate in a tenant’s municipalities: at most 1,000 of each kind, fewer where they are large, and `next` continues it. An unknown plate is an empty export. The office must make sure that whoever asks holds the vehicle.',
    body: {
      words: 'Whose plate.',
      examples: { plate: { summary: 'A plate', value: { tenant: TENANT, plate: PARKED } } },
    },
    answer: {
      words: 'What is held.',
      examples: {
        nothing: {
          summary: 'An unknown plate',
          value: {
            ...ENVELOPE,
            sessions: [],
            subscriptions: [],
            history: [],
            payments: [],
            calls: [],
            next: null,
          },
        },
      },
    },
  }),
];
