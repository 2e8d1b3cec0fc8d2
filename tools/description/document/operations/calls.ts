import { getCall } from '../../../../src/office/calls/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

const LOOKED_UP = 'c2a1c8f4-5a0e-4f8e-9a53-2f6c7d1e0b94';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', getCall, {
    summary: 'Look up a call',
    words:
      'Returns the logged call with this `request_id`, a few seconds after it was made until its retention period ends. The administration’s writes, exports and backups are logged, too, with their action and target, but not its other reads. Reports that were answered, and calls that could flood the log (unknown paths, 405, 413, and what the credential or its budget refuses with 401, 403 or 429) are not kept.',
    parameters: { request_id: LOOKED_UP },
    answer: {
      call: {
        request_id: LOOKED_UP,
        at: '2026-03-07T16:44:12.000Z',
        operation: 'plate_check',
        address: '203.0.113.7',
        http_status: 200,
        outcome: 'SESSION_EXPIRED',
        officer_reference: null,
        request: null,
        response: null,
      },
    },
  }),
];
