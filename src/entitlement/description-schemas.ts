import { output } from '../openapi/words.ts';
import { accessControl, sessionItem, subscriptionItem, warningItem } from './response.ts';

export const SESSION_WORDS = {
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

/** The words of a verdict's fields. */
export const VERDICT_WORDS = {
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
} as const;
