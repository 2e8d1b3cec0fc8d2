import { exportOfPlate } from '../../../../src/office/export/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';
import { PARKED, TENANT } from '../samples.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', exportOfPlate, {
    summary: 'Export the data held on a plate',
    words:
      'Returns everything held on a plate in a tenant’s municipalities: at most 1,000 items in all, fewer if they are large; `next` continues it. The export of an unknown plate is empty. The office must make sure that the person who asks holds the vehicle.',
    request: { tenant: TENANT, plate: PARKED },
    answer: { sessions: [], subscriptions: [], history: [], payments: [], calls: [] },
  }),
];
