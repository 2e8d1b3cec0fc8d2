import { operation } from '../../serving/pipeline/operation.ts';
import { statusResponse } from './contract.ts';
import { findStatus } from './find-status.ts';

/** What an operator asks first: databases, late sources, snapshots, retention, moves, wrong settings. */
export const getStatus = operation({
  id: 'getStatus',
  method: 'GET',
  path: '/api/v2/admin/status',
  access: { by: 'administrator', office: 'nothing' },
  // Hundreds of databases, six at a time.
  deadlineMs: 10_000,
  answer: statusResponse,
  handle: async (_, { env, now, deadline }) => ({ answer: await deadline.race(findStatus(env, now)) }),
});
