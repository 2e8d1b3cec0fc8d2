import * as z from 'zod';
import { ACCESS_EVENTS } from '../domain/facility-access.ts';
import { optionalInstantText, optionalText } from '../http/fields.ts';

/** The V1 request. Unknown properties are ignored. */
export const plateCheckV1Request = z.object({
  plate: z.string().trim(),
  municipality_code: optionalText,
  area_code: optionalText,
  checked_at: optionalInstantText,
});

/** The V2 request: `event` besides. */
export const plateCheckRequest = plateCheckV1Request.extend({
  event: optionalText.pipe(z.enum(ACCESS_EVENTS).default('verify')),
});

export type PlateCheckRequest = z.infer<typeof plateCheckRequest>;
