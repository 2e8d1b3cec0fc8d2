import * as z from 'zod';
import type { Contract } from '../../serving/contract.ts';
import { callFields } from '../administration/logged-call.ts';

/** Any text. A text that is not a call's id is a 404. */
const callPath = z.object({
  request_id: z.string().meta({ maxLength: 100 }).describe('The call’s `request_id`.'),
});

const callAnswer = z
  .object({ call: callFields.describe('The call.') })
  .meta({ id: 'CallResponse', description: 'A logged call. Its id is in `call`.' });

/** Looks up a call in the call log by its `request_id`. */
export const getCall = {
  id: 'getCall',
  method: 'GET',
  path: '/api/v2/admin/calls/:request_id',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  pathParameters: callPath,
  answer: callAnswer,
  errors: ['NOT_FOUND'],
} as const satisfies Contract;
