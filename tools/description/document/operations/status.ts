import { getStatus } from '../../../../src/office/watch/contract.ts';
import { type DescribedOperation, describe } from '../openapi/parts.ts';

export const DESCRIPTION: readonly DescribedOperation[] = [
  describe('Administration', getStatus, {
    summary: 'Get the status of the service',
    words:
      'The state of the database, sources, snapshots and retention. Answers even while the database cannot be reached.',
    answer: {
      version: '1f0c6d3e-2b7a-4c1d-9e55-0a6b8c7d9e10',
      database: { size_bytes: 1_204_224, schema: 0 },
      late_sources: [{ last_successful_at: '2026-11-21T22:40:00.000Z' }],
      snapshots: { oldest_at: '2026-11-21T23:32:00.000Z' },
      retention: { last_run_at: '2026-11-21T23:17:00.000Z', behind: false },
      failing: [],
    },
  }),
];
