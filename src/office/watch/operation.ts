import { operation } from '../../serving/pipeline/operation.ts';
import { statusResponse } from './contract.ts';
import { findStatus } from './find-status.ts';

/** What an operator asks first: the database, late sources, snapshots, retention, wrong settings. */
export const getStatus = operation({
  id: 'getStatus',
  method: 'GET',
  path: '/api/v2/admin/status',
  access: { by: 'administrator', office: 'nothing' },
  // All parts at once, of three seconds at most each.
  deadlineMs: 5_000,
  answer: statusResponse,
  handle: async (_, { env, now, deadline }) => ({ answer: await deadline.race(findStatus(env, now)) }),
});
