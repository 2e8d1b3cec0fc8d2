import { withSubject } from '../../errors/call-subject.ts';
import { QUERY_BODY } from '../../http/body.ts';
import { operation } from '../../pipeline/operation.ts';
import { erasureAnswer, erasureRequest, exportAnswer, exportRequest } from './contract.ts';
import { erasePlate } from './erase-plate.ts';
import { exportPlate } from './export-plate.ts';
import { findHolder } from './holder.ts';

const common = {
  method: 'POST',
  access: { by: 'administrator' },
  deadlineMs: 10_000,
  errors: ['INVALID_PLATE'],
} as const;

/** Everything that a tenant holds on a plate. */
export const exportOfPlate = operation({
  ...common,
  id: 'exportPlate',
  path: '/api/v2/admin/plates/export',
  body: { kind: 'json', schema: exportRequest, maxBytes: QUERY_BODY },
  answer: exportAnswer,
  log: { operation: 'admin', action: 'plate.export' },
  handle: async ({ body }, { env, deadline }) => {
    const holder = await deadline.race(findHolder(env, body));
    const { tenant } = holder;
    return withSubject({ tenant }, async () => ({
      answer: await deadline.race(exportPlate(env, holder, body.after ?? null)),
      tenant,
    }));
  },
});

/** Erases a plate from all that a tenant holds, a bounded part a call. */
export const erasureOfPlate = operation({
  ...common,
  id: 'erasePlate',
  path: '/api/v2/admin/plates/erase',
  body: { kind: 'json', schema: erasureRequest, maxBytes: QUERY_BODY },
  answer: erasureAnswer,
  errors: ['INVALID_PLATE', 'MUNICIPALITY_MOVING'],
  log: { operation: 'admin', action: 'plate.erase' },
  handle: async ({ body }, { env, deadline, now }) => {
    const holder = await deadline.race(findHolder(env, body));
    const { tenant } = holder;
    return withSubject({ tenant }, async () => ({
      answer: await deadline.race(erasePlate(env, holder, now)),
      tenant,
    }));
  },
});
