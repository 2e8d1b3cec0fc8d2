import * as z from 'zod';
import { MAX_LISTED_SESSIONS } from '../domain/entitlement.ts';
import { ACCESS_EVENTS, ACCESS_REASON_CODES, MATCHED_SOURCES } from '../domain/facility-access.ts';
import { SESSION_STATUSES } from '../domain/parking-session.ts';
import { SUBSCRIPTION_REASON_CODES, SUBSCRIPTION_STATUSES } from '../domain/subscription.ts';
import { code, count, dateTime, name, place, plate, sentence } from '../http/response-fields.ts';

export const sessionItem = z.object({
  session_id: name,
  plate,
  area: place,
  source_code: code,
  starts_at: dateTime,
  /** Null while a start-and-stop session runs. */
  ends_at: dateTime.nullable(),
  status: z.enum(SESSION_STATUSES),
  is_valid_at_check_time: z.boolean(),
});

export const subscriptionItem = z.object({
  subscription_number: name,
  plate,
  status: z.enum(SUBSCRIPTION_STATUSES),
  reason_code: z.enum(SUBSCRIPTION_REASON_CODES),
  is_valid_at_check_time: z.boolean(),
});

export const warningItem = z.object({ code: z.literal('AREA_CODE_REQUIRED'), message: sentence });

export const accessControl = z.object({
  event: z.enum(ACCESS_EVENTS),
  area_code: code,
  entry_grace_minutes: count,
  exit_grace_minutes: count,
  access_granted: z.boolean(),
  reason_code: z.enum(ACCESS_REASON_CODES),
  matched_source: z.enum(MATCHED_SOURCES),
});

/** Added when the area is a facility, whatever the event. */
export const accessFields = z.object({
  access_event: z.enum(ACCESS_EVENTS),
  access_granted: z.boolean(),
  access_reason_code: z.enum(ACCESS_REASON_CODES),
  access_reason: sentence,
  access_control: accessControl,
});

/** What the plate check 2.0 says of a plate, from `verification_scope` to the end of its answer. */
export const verdictFields = z.object({
  verification_scope: z.enum(['area', 'municipality']),
  subscriptions_supported: z.boolean(),
  verification_complete: z.boolean(),
  requires_area_code: z.boolean(),
  has_valid_entitlement: z.boolean(),
  has_valid_parking: z.boolean(),
  has_valid_subscription: z.boolean(),
  sessions_count: count,
  valid_sessions_count: count,
  subscriptions_count: count,
  valid_subscriptions_count: count,
  results_count: count,
  entitlements_count: count,
  sessions: z.array(sessionItem).max(MAX_LISTED_SESSIONS),
  subscriptions: z.array(subscriptionItem),
  warnings: z.array(warningItem).max(1),
  ...accessFields.partial().shape,
});

export type VerdictFields = z.infer<typeof verdictFields>;
export type AccessFields = z.infer<typeof accessFields>;
