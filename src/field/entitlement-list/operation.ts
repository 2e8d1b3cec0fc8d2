import { LinesText, operation } from '../../serving/pipeline/operation.ts';
import { listLine, listPath, listQuery } from './contract.ts';
import { listEntitlements, listReading } from './list.ts';

/** What a gate must know to let the right cars in while it is offline. */
export const entitlementList = operation({
  id: 'listEntitlements',
  method: 'GET',
  path: '/api/v2/facilities/:area_code/entitlement-list',
  access: {
    by: 'credential',
    scope: 'entitlement_list',
    budget: 'lists',
    tokenHeaders: 'authorization_only',
    whenObjectIsAway: 'fail',
  },
  // No car waits for it. A page takes a fraction of this.
  deadlineMs: 10_000,
  query: listQuery,
  pathParameters: listPath,
  reads: listReading,
  answer: { line: listLine },
  envelope: false,
  errors: ['SERVICE_DISABLED', 'AREA_FORBIDDEN', 'AREA_NOT_FOUND', 'CURSOR_GONE'],
  log: { operation: 'entitlement_list' },
  handle: async ({ query }, context) => {
    const finding = await listEntitlements(query, context);
    return 'refused' in finding ? finding : { answer: new LinesText(finding.list) };
  },
});
