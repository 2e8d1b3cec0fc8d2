import * as z from 'zod';
import { ACCESS_EVENTS } from '../domain/facility-access.ts';
import { INSTANT_LENGTH, INSTANT_PATTERN, type Instant, parseInstant } from '../domain/instant.ts';
import { optionalText } from '../http/fields.ts';
import { said } from '../http/validation.ts';

const NOT_AN_INSTANT = {
  en: 'must be an ISO 8601 instant with date, time and offset, such as 2026-03-07T17:44:12+01:00',
  it: 'deve essere un istante ISO 8601 con data, ora e differenza oraria, come 2026-03-07T17:44:12+01:00',
};

const optionalInstant = optionalText
  .transform((text, ctx): Instant | undefined => {
    const at = text === undefined ? undefined : parseInstant(text);
    if (at === null) {
      ctx.addIssue({ code: 'custom', params: said(NOT_AN_INSTANT) });
      return z.NEVER;
    }
    return at;
  })
  .meta({ pattern: `^$|${INSTANT_PATTERN}`, maxLength: INSTANT_LENGTH });

/** The V1 request. Unknown properties are ignored. */
export const plateCheckV1Request = z.object({
  plate: z.string().trim(),
  municipality_code: optionalText,
  area_code: optionalText,
  checked_at: optionalInstant,
});

/** The V2 request: `event` besides. */
export const plateCheckRequest = plateCheckV1Request.extend({
  event: optionalText.pipe(z.enum(ACCESS_EVENTS).default('verify')),
});

export type PlateCheckRequest = z.infer<typeof plateCheckRequest>;
