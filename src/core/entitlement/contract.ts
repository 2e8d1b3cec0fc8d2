import * as z from 'zod';
import { MAX_LISTED_SESSIONS } from '../../domain/entitlement.ts';
import { ACCESS_EVENTS, ACCESS_REASON_CODES, MATCHED_SOURCES } from '../../domain/facility-access.ts';
import { SESSION_STATUSES } from '../../domain/parking-session.ts';
import { SUBSCRIPTION_REASON_CODES, SUBSCRIPTION_STATUSES } from '../../domain/subscription.ts';
import {
  code,
  count,
  dateTime,
  flag,
  MAX_CODES,
  name,
  openCode,
  place,
  plate,
  sentence,
} from '../../serving/http/response-fields.ts';

const sessionItem = z
  .object({
    session_id: name.describe('Unique in its source.'),
    plate,
    area: place.describe('Where it was bought.'),
    source_code: code.describe('Its source.'),
    starts_at: dateTime.describe('When it starts. The session includes this instant.'),
    ends_at: dateTime
      .nullable()
      .describe(
        'When it ends. The session excludes this instant. Null while a start-and-stop session is running.',
      ),
    status: z.enum(SESSION_STATUSES).describe('`valid` at the instant, or why it is not.'),
    is_valid_at_check_time: flag.describe(
      'Whether it is valid at the instant. A tolerance does not make a session valid.',
    ),
  })
  .meta({ id: 'Session', description: 'An hourly parking session.' });

const subscriptionItem = z
  .object({
    subscription_number: name.describe('Unique in the municipality.'),
    plate,
    status: z.enum(SUBSCRIPTION_STATUSES).describe('The state of the subscription.'),
    reason_code: z
      .enum(SUBSCRIPTION_REASON_CODES)
      .describe(
        'Why it is valid or not. `AREA_CODE_REQUIRED`: it is limited to areas and none was given, so it is neither confirmed nor denied.',
      ),
    is_valid_at_check_time: flag.describe(
      'Whether it is valid at the instant. Only such a subscription counts.',
    ),
  })
  .meta({ id: 'Subscription', description: 'A subscription, diagnosed at the instant.' });

const warningItem = z
  .object({
    code: openCode(['AREA_CODE_REQUIRED']).describe('The same in every language.'),
    message: sentence.describe('For people.'),
  })
  .meta({ id: 'Warning', description: 'A question that the answer leaves open.' });

const accessControl = z
  .object({
    event: z.enum(ACCESS_EVENTS).describe('The event that was judged.'),
    area_code: code.describe('The facility.'),
    entry_grace_minutes: count.describe('Its entry tolerance: minutes before a session’s start.'),
    exit_grace_minutes: count.describe('Its exit tolerance: minutes after a session’s end.'),
    access_granted: flag.describe('Whether the gate opens.'),
    reason_code: z.enum(ACCESS_REASON_CODES).describe('Why, or why not.'),
    matched_source: z.enum(MATCHED_SOURCES).describe('What the gate opened for; `none` if it stays closed.'),
  })
  .meta({ id: 'AccessControl', description: 'The details of the gate decision.' });

/** Added when the area is a facility, whatever the event. */
const accessFields = z.object({
  access_event: z.enum(ACCESS_EVENTS).describe('The event that was judged.'),
  access_granted: flag.describe(
    'The gate decision, for this facility only: open if true, stay closed if false. Within a tolerance it may be true while `has_valid_entitlement` is false.',
  ),
  access_reason_code: z.enum(ACCESS_REASON_CODES).describe('Why the gate opens, or does not.'),
  access_reason: sentence.describe('The same as a text for people.'),
  access_control: accessControl.describe('The details of the decision.'),
});

/** The sessions of the plate. */
export const sessionFields = {
  sessions_count: count.describe(
    'Sessions found: those that overlap the 24 hours before and after the instant.',
  ),
  valid_sessions_count: count.describe('How many of them are valid at the instant.'),
  sessions: z
    .array(sessionItem)
    .max(MAX_LISTED_SESSIONS)
    .describe(
      'The sessions found, newest start first. If there are more than 50, valid ones are listed before others.',
    ),
};

/** The fields of a plate check 2.0 from `verification_scope` on. */
export const verdictFields = z
  .object({
    verification_scope: z
      .enum(['area', 'municipality'])
      .describe('`area` when an area was given, else `municipality`.'),
    subscriptions_supported: flag.describe(
      'Whether the municipality has subscriptions enabled. If not, none are listed or counted.',
    ),
    verification_complete: flag.describe(
      'False if a subscription of the plate is limited to areas and none was given. Then a false `has_valid_subscription` is an open question, not a no: ask again with `area_code` before you act on it.',
    ),
    requires_area_code: flag.describe('True exactly when `verification_complete` is false.'),
    has_valid_entitlement: flag.describe(
      'The overall outcome: whether there is a valid session or a valid subscription at the instant. It is not the same as `access_granted`.',
    ),
    has_valid_parking: flag.describe('Whether a session is valid at the instant.'),
    has_valid_subscription: flag.describe(
      'Whether a subscription is valid at the instant, in the area when one was given.',
    ),
    ...sessionFields,
    subscriptions_count: count.describe('Subscriptions found.'),
    valid_subscriptions_count: count.describe('How many of them are valid at the instant.'),
    results_count: count.describe('`sessions_count` + `subscriptions_count`.'),
    entitlements_count: count.describe('`valid_sessions_count` + `valid_subscriptions_count`.'),
    subscriptions: z
      .array(subscriptionItem)
      .describe('The approved subscriptions that the plate is on at the instant, by number.'),
    warnings: z
      .array(warningItem)
      .max(MAX_CODES)
      .describe('Has `AREA_CODE_REQUIRED` when `requires_area_code` is true.'),
    ...accessFields.partial().shape,
  })
  .meta({ id: 'Verdict', description: 'The fields of a plate check from `verification_scope` on.' });

export type VerdictFields = z.infer<typeof verdictFields>;
export type AccessFields = z.infer<typeof accessFields>;
