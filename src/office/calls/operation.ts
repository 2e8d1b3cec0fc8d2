import { Refusal } from '../../base/errors/refusal.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { presentCall } from '../administration/logged-call.ts';
import { callAnswer, callPath } from './contract.ts';
import { findCall } from './find-call.ts';

/** Looks up a call in the call log by its `request_id`. */
export const getCall = operation({
  id: 'getCall',
  method: 'GET',
  path: '/api/v2/admin/calls/:request_id',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  pathParameters: callPath,
  answer: callAnswer,
  handle: async ({ path }, { env, deadline, bounds }) => {
    const row = await deadline.race(findCall(env, path.request_id, bounds));
    return row === null
      ? { refused: new Refusal('NOT_FOUND', { message: NO_CALL }) }
      : { answer: { call: presentCall(row) } };
  },
});

const NO_CALL = {
  en: 'The call log has no call with this request_id.',
  it: 'Il registro delle chiamate non ha una chiamata con questo request_id.',
};
