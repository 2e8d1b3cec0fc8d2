import { erasureOfPlate } from '../../../../src/office/erasure/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { TENANT, UNKNOWN } from '../samples.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', erasureOfPlate, {
    summary: 'Erase a plate',
    words:
      'From then on nothing that a tenant holds contains the plate. Sessions and payments are kept for the counts and amounts, each with a random pseudonym in the plate’s place, so that they can no longer be joined: a vehicle with two sessions at once in an area counts as two from then on; subscriptions lose it; logged requests and answers about it go. A `session_id`, `subscription_number` or `payment_id` that contains the plate is replaced by a keyed digest. What was erased stays erased: an import’s line that names the plate again for what began before does not bring it back; what begins later is stored. Each call does a bounded part: while `next` is not null, call again with it as `after`. After a 500, call again. With `lift`, nothing is erased, and the plate may be stored again: the person has come back.',
    request: { tenant: TENANT, plate: UNKNOWN },
    answer: { erased: { sessions: 2, subscriptions: 1, history: 4, payments: 2, calls: 3 } },
  }),
];
