import { findHolder } from '../admin/holder.ts';
import { withSubject } from '../errors/call-subject.ts';
import { QUERY_BODY } from '../http/body.ts';
import { operation } from '../pipeline/operation.ts';
import { exportAnswer, exportRequest } from './contract.ts';
import { exportPlate } from './export-plate.ts';

/** Everything that a tenant holds on a plate. */
export const exportOfPlate = operation({
  id: 'exportPlate',
  method: 'POST',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 10_000,
  path: '/api/v2/admin/plates/export',
  body: { kind: 'json', schema: exportRequest, maxBytes: QUERY_BODY },
  answer: exportAnswer,
  errors: ['TENANT_NOT_ALLOWED', 'INVALID_PLATE'],
  log: { operation: 'admin', action: 'plate.export' },
  handle: async ({ body }, { env, now, deadline, bounds, language }) => {
    const holder = await deadline.race(findHolder(env, bounds, body));
    const { tenant } = holder;
    return withSubject({ tenant }, async () => ({
      answer: await deadline.race(exportPlate(env, holder, body.after ?? null, now, language)),
      tenant,
    }));
  },
});
