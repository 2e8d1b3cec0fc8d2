import * as z from 'zod';
import { Refusal } from '../../base/errors/refusal.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { callFields, presentCall } from '../administration/logged-call.ts';
import { readCall } from './calls-table.ts';

/** Any text. A text that is not a call's id is a 404. */
const callPath = z.object({
  request_id: z.string().meta({ maxLength: 100 }).describe('The call’s `request_id`.'),
});

const callAnswer = z
  .object({ call: callFields.describe('The call.') })
  .meta({ id: 'CallResponse', description: 'A logged call. Its id is in `call`.' });

/** Looks up a call in the call log by its `request_id`. */
export const getCall = operation({
  id: 'getCall',
  method: 'GET',
  path: '/api/v2/admin/calls/:request_id',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  pathParameters: callPath,
  answer: callAnswer,
  errors: ['NOT_FOUND'],
  handle: async ({ path }, { env, deadline, bounds }) => {
    const row = await deadline.race(readCall(env.DB, path.request_id));
    return row === null || !bounds.covers(row.tenant)
      ? { refused: new Refusal('NOT_FOUND', { message: NO_CALL }) }
      : { answer: { call: presentCall(row) } };
  },
});

const NO_CALL = {
  en: 'The call log has no call with this request_id.',
  it: 'Il registro delle chiamate non ha una chiamata con questo request_id.',
};
