import { erasureOfPlate } from '../../../../src/office/erasure/contract.ts';
import { TENANT, UNKNOWN } from '../examples/city.ts';
import { ENVELOPE } from '../examples/envelope.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe(erasureOfPlate, {
    section: 'Administration',
    summary: 'Erase a plate',
    words:
      'From then on nothing that a tenant holds contains the plate. Sessions are kept for the counts, each with a pseudonym of its own in its place, so that they can no longer be joined: a vehicle with two sessions at once in an area counts as two from then on; subscriptions lose it; in logged requests and answers it is masked. A `session_id` or `subscription_number` that is made from the plate is replaced by a keyed digest. A line of an import that names the plate again for the same session or subscription does not bring it back; a new session or subscription does. Each call does a bounded part: while `more` is true, call again. After a 500, call again.',
    body: {
      words: 'Whose plate.',
      examples: { plate: { summary: 'A plate', value: { tenant: TENANT, plate: UNKNOWN } } },
    },
    answer: {
      words: 'What was erased.',
      example: {
        ...ENVELOPE,
        erased: { sessions: 2, subscriptions: 1, history: 4, payments: 2, calls: 3 },
        more: false,
      },
    },
  }),
];
