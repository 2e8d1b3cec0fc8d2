import * as z from 'zod';
import { MAX_LISTED_SESSIONS } from '../domain/entitlement.ts';
import { sessionItem, verdictFields } from '../entitlement/response.ts';
import { count, dateTime, place, plate, timeZone } from '../http/response-fields.ts';

/** What was checked: the plate, when, and where. */
const checkedPlace = {
  plate,
  timezone: timeZone,
  checked_at: dateTime,
  municipality: place,
  area: place.optional(),
};

/** V1: parking sessions only. */
export const plateCheckV1Response = z.object({
  api_version: z.literal('1.0'),
  ...checkedPlace,
  has_valid_parking: z.boolean(),
  sessions_count: count,
  valid_sessions_count: count,
  sessions: z.array(sessionItem).max(MAX_LISTED_SESSIONS),
});

/** The place, and the verdict. */
export const plateCheckResponse = z.object({
  api_version: z.literal('2.0'),
  ...checkedPlace,
  ...verdictFields.shape,
});

export type PlateCheckV1Response = z.infer<typeof plateCheckV1Response>;
export type PlateCheckResponse = z.infer<typeof plateCheckResponse>;
