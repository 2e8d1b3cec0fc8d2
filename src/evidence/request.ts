import * as z from 'zod';
import { ACCESS_EVENTS } from '../domain/facility-access.ts';
import { anyInstantText, optionalInstantText, optionalText } from '../http/fields.ts';

/** What is asked: how a plate stood at an instant, by what was known at another. Unknown properties are refused. */
export const evidenceRequest = z.strictObject({
  plate: z.string().trim(),
  at: anyInstantText,
  known_at: optionalInstantText,
  municipality_code: optionalText,
  area_code: optionalText,
  event: optionalText.pipe(z.enum(ACCESS_EVENTS).default('verify')),
});

export type EvidenceRequest = z.infer<typeof evidenceRequest>;
