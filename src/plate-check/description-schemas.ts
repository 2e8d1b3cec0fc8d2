import { ENVELOPE_WORDS, inEnvelope } from '../openapi/envelope.ts';
import { input, output } from '../openapi/words.ts';
import { plateCheckRequest, plateCheckV1Request } from './request.ts';
import {
  accessControl,
  plateCheckResponse,
  plateCheckV1Response,
  sessionItem,
  subscriptionItem,
  warningItem,
} from './response.ts';

const REQUEST_WORDS = {
  plate:
    'The plate as it was typed or read. The service normalizes it: case, spaces, dashes, dots and diacritics do not matter, and Greek and Cyrillic letters count as the Latin letter of the same shape; `O` and `0`, `I` and `1` stay apart. What is left must be 1 to 15 letters and digits, else `INVALID_PLATE`.',
  municipality_code:
    'The municipality. Null, blank and absent stand for the credential’s only active municipality; a credential with several gets `MUNICIPALITY_REQUIRED`.',
  area_code:
    'The street or facility. Null, blank and absent are the same. Recommended, because a subscription that is limited to areas cannot be confirmed without it.',
  checked_at:
    'The instant to verify: ISO 8601 with a date, a time to the minute or finer, and an offset. Null, blank and absent stand for now. Up to 5 seconds in the future counts as now. An instant in the past is judged by what is known today.',
} as const;

export const REQUEST = input(
  'PlateCheckRequest',
  plateCheckRequest,
  'What to verify. Unknown properties are ignored.',
  {
    ...REQUEST_WORDS,
    event:
      '`entry` and `exit` ask for a gate decision, and need `area_code` with an active facility; `entry` uses the entry tolerance, `exit` the exit tolerance. `verify` is the general check, and the default for null, blank and absent: in a facility it considers both tolerances.',
  },
);

export const V1_REQUEST = input(
  'PlateCheckV1Request',
  plateCheckV1Request,
  'What to verify. Unknown properties are ignored, including `event`.',
  REQUEST_WORDS,
);

const CHECKED_WORDS = {
  plate: 'The normalized plate.',
  timezone: 'The municipality’s time zone, an IANA name. Every instant of the answer is shown in it.',
  checked_at: 'The instant that was verified.',
  municipality: 'The municipality that was verified.',
  area: 'The area that was verified; absent when none was given.',
} as const;

const SESSION_WORDS = {
  sessions_count: 'Sessions found: those that overlap the 24 hours before and after the instant.',
  valid_sessions_count: 'How many of them are valid at the instant.',
  sessions:
    'The sessions found, newest start first. If there are more than 50, valid ones are listed before others.',
} as const;

export const SESSION = output('Session', sessionItem, 'An hourly parking session.', {
  session_id: 'Unique in its source.',
  plate: 'The normalized plate.',
  area: 'Where it was bought.',
  source_code: 'The source that it comes from.',
  starts_at: 'When it starts. The session includes this instant.',
  ends_at: 'When it ends. The session excludes this instant. Null while a start-and-stop session is running.',
  status: '`valid` at the instant, or why not.',
  is_valid_at_check_time: 'Whether it is valid at the instant. A tolerance does not make a session valid.',
});

export const SUBSCRIPTION = output(
  'Subscription',
  subscriptionItem,
  'A subscription, diagnosed at the instant.',
  {
    subscription_number: 'Unique in the municipality.',
    plate: 'The normalized plate.',
    status: 'The state of the subscription.',
    reason_code:
      'Why it is valid or not. `AREA_CODE_REQUIRED`: it is limited to areas and none was given, so it is neither confirmed nor denied.',
    is_valid_at_check_time: 'Only a subscription with true here counts as valid.',
  },
);

export const WARNING = output('Warning', warningItem, 'Something that the answer leaves open.', {
  code: 'The same in every language.',
  message: 'For people.',
});

export const ACCESS_CONTROL = output('AccessControl', accessControl, 'The details of the gate decision.', {
  event: 'The event that was decided.',
  area_code: 'The facility.',
  entry_grace_minutes: 'Its entry tolerance: minutes before a session’s start.',
  exit_grace_minutes: 'Its exit tolerance: minutes after a session’s end.',
  access_granted: 'Whether the gate opens.',
  reason_code: 'Why, or why not.',
  matched_source: 'What the gate opened for; `none` if it stays closed.',
});

export const RESPONSE = output(
  'PlateCheckResponse',
  inEnvelope(plateCheckResponse),
  'The result of a verification, whatever its outcome. A negative is a valid answer, with its reasons. The five `access_…` fields are all present if the area is a facility, whatever the event, and all absent otherwise.',
  {
    ...ENVELOPE_WORDS,
    api_version: 'The version of this operation.',
    ...CHECKED_WORDS,
    verification_scope: '`area` when an area was given, else `municipality`.',
    subscriptions_supported:
      'Whether the municipality has subscriptions enabled. If not, none are listed or counted.',
    verification_complete:
      'False when a subscription of the plate is limited to areas and none was given: then a false `has_valid_subscription` means that the question is still open, not a no. Ask again with `area_code` before you act on it.',
    requires_area_code: 'True exactly when `verification_complete` is false.',
    has_valid_entitlement:
      'The overall outcome: whether there is a valid session or a valid subscription at the instant. It is not the same as `access_granted`.',
    has_valid_parking: 'Whether a session is valid at the instant.',
    has_valid_subscription: 'Whether a subscription is valid at the instant, in the area when one was given.',
    ...SESSION_WORDS,
    subscriptions_count: 'Subscriptions found.',
    valid_subscriptions_count: 'How many of them are valid at the instant.',
    results_count: '`sessions_count` + `subscriptions_count`.',
    entitlements_count: '`valid_sessions_count` + `valid_subscriptions_count`.',
    subscriptions: 'The approved subscriptions that the plate is on at the instant, by number.',
    warnings: 'Has `AREA_CODE_REQUIRED` when `requires_area_code` is true.',
    access_event: 'The event that was decided.',
    access_granted:
      'The gate decision, for this facility only: open if true, stay closed if false. Within a tolerance it may be true while `has_valid_entitlement` is false.',
    access_reason_code: 'Why the gate opens, or does not.',
    access_reason: 'The same as a text for people.',
    access_control: 'How the decision came about.',
  },
);

export const V1_RESPONSE = output(
  'PlateCheckV1Response',
  inEnvelope(plateCheckV1Response),
  'The result of a verification of parking sessions only.',
  {
    ...ENVELOPE_WORDS,
    api_version: 'The version of this operation.',
    ...CHECKED_WORDS,
    has_valid_parking: 'The outcome: whether a session is valid at the instant.',
    ...SESSION_WORDS,
  },
);
