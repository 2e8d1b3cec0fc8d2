import type * as z from 'zod';
import { successEnvelope } from '../http/envelope-schemas.ts';
import { place } from '../http/response-fields.ts';
import { output } from './words.ts';

/** The id of the call in every example. */
export const REQUEST_ID = '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52';

/** How every example of a success begins. */
export const ENVELOPE = {
  success: true,
  ok: true,
  request_id: REQUEST_ID,
} as const satisfies z.infer<typeof successEnvelope>;

export const ENVELOPE_WORDS = {
  success: 'Always true. It is false in an error, which says nothing about a vehicle.',
  ok: 'The same as `success`.',
  request_id: 'The id of the call, as in `X-Request-Id`.',
} as const;

/** The schema of a success: the envelope, then the fields of the answer. */
export const inEnvelope = <Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) =>
  successEnvelope.extend(schema.shape);

export const PLACE = output('Place', place, 'A municipality or an area.', {
  code: 'Its code, as configured. Codes are compared exactly.',
  name: 'Its name, for people.',
});
