import * as z from 'zod';
import { callFields } from '../administration/logged-call.ts';

/** Any text: one that is not a call's id is not found. */
export const callPath = z.object({
  request_id: z.string().meta({ maxLength: 100 }).describe('The call’s `request_id`.'),
});

export const callAnswer = z
  .object({ call: callFields.describe('The call.') })
  .meta({ id: 'CallResponse', description: 'The outcome of a call, whose id is in `call`.' });
