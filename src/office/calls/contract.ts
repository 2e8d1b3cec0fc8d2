import * as z from 'zod';
import { callFields } from '../administration/logged-call.ts';

/** Any text. A text that is not a call's id is a 404. */
export const callPath = z.object({
  request_id: z.string().meta({ maxLength: 100 }).describe('The call’s `request_id`.'),
});

export const callAnswer = z
  .object({ call: callFields.describe('The call.') })
  .meta({ id: 'CallResponse', description: 'A logged call. Its id is in `call`.' });
