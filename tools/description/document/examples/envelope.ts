import type * as z from 'zod';
import type { successEnvelope } from '../../../../src/serving/http/envelope-schemas.ts';

/** The id of the call in every example. */
export const REQUEST_ID = '7f1b6f6e-6f0e-4a53-9d0c-0d7f4f6c1b52';

/** How every example of a success begins. */
export const ENVELOPE = {
  success: true,
  ok: true,
  request_id: REQUEST_ID,
} as const satisfies z.infer<typeof successEnvelope>;
