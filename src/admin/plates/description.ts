import { ENVELOPE } from '../../openapi/envelope.ts';
import { type DescribedOperation, describe } from '../../openapi/parts.ts';
import { erasureOfPlate, exportOfPlate } from './operations.ts';

const example = { tenant: 'acme', plate: 'AB123CD' };

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(exportOfPlate, {
    section: 'Administration',
    summary: 'Export what is held on a plate',
    words:
      'Everything that is held on a plate in a tenant’s municipalities: at most 1,000 of each kind, fewer where they are large, and `next` continues it. A plate that nobody knows is an empty export. Who asks has to be known to hold the vehicle: that is for the office to make sure of.',
    body: {
      words: 'Whose plate.',
      examples: { plate: { summary: 'A plate', value: example } },
    },
    answer: {
      words: 'What is held.',
      examples: {
        nothing: {
          summary: 'A plate that nobody knows',
          value: { ...ENVELOPE, sessions: [], subscriptions: [], history: [], calls: [], next: null },
        },
      },
    },
  }),
  describe(erasureOfPlate, {
    section: 'Administration',
    summary: 'Erase a plate',
    words:
      'From then on nothing of a tenant’s holds the plate. Sessions stay for their counts, with a pseudonym in its place; a subscription loses it; in kept requests and answers it is masked. A `session_id` or `subscription_number` that is made from the plate gives way to a keyed digest. A line of an import that names the plate again for the same session or subscription does not bring it back; a new session or subscription does. Each call does a bounded part: while `more` is true, call again. After a 500, call again.',
    body: {
      words: 'Whose plate.',
      examples: { plate: { summary: 'A plate', value: example } },
    },
    answer: {
      words: 'What was erased.',
      examples: {
        erased: {
          summary: 'Two sessions and a subscription',
          value: {
            ...ENVELOPE,
            erased: { sessions: 2, subscriptions: 1, history: 4, calls: 3 },
            more: false,
          },
        },
      },
    },
  }),
];
