import { withSubject } from '../../base/errors/call-subject.ts';
import { QUERY_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { findHolder } from '../administration/holders-table.ts';
import { erasureAnswer, erasureRequest } from './contract.ts';
import { erasePlate } from './erase-plate.ts';

/** Erases a plate from all of a tenant's data, a bounded part per call. */
export const erasureOfPlate = operation({
  id: 'erasePlate',
  method: 'POST',
  access: { by: 'administrator', office: 'changes' },
  deadlineMs: 10_000,
  path: '/api/v2/admin/plates/erase',
  body: { kind: 'json', schema: erasureRequest, maxBytes: QUERY_BODY },
  answer: erasureAnswer,
  errors: ['TENANT_NOT_ALLOWED', 'INVALID_PLATE'],
  log: { operation: 'admin', action: 'plate.erase' },
  handle: async ({ body }, { env, deadline, now, bounds }) => {
    const holder = await deadline.race(findHolder(env, bounds, body));
    const { tenant } = holder;
    return withSubject({ tenant }, async () => ({
      answer: await deadline.race(erasePlate(env, holder, now)),
      tenant,
    }));
  },
});
