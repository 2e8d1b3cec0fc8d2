import type { AccessEvent, AccessReasonCode } from '../../../src/domain/facility-access.ts';
import type { ResultCode } from '../../../src/domain/purchase-options.ts';
import type { SubscriptionReasonCode } from '../../../src/domain/subscription.ts';
import type { SourceCode, SubscriptionType } from './configuration.ts';
import type { SessionLine, SubscriptionLine, TimesAround } from './lines.ts';

/** All plates of the showcase are in Torino. */
export const SHOWCASE_CITY = 'L219';

/** Admits subscriptions, opens 15 min early, and lets cars out 20 min late. */
export const LARGE_FACILITY = 'BOLZANO';
/** Admits prepaid sessions only. */
const SMALL_FACILITY = 'MADAMA-CRISTINA';
const WITHOUT_SERVICE = 'STURA';
const WITHOUT_PLATE_CONTROL = 'VENCHI-UNICA';

/** A question to ask about a plate, and what the answer shows. */
export type Shown =
  | {
      readonly by: 'diagnosis';
      /** Null: the whole municipality. */
      readonly areaCode: string | null;
      readonly reasonCode: SubscriptionReasonCode;
    }
  | {
      readonly by: 'gate';
      readonly areaCode: string;
      readonly event: AccessEvent;
      readonly reasonCode: AccessReasonCode;
      /** Whether an entitlement is valid: within a tolerance, the gate opens without one. */
      readonly entitled: boolean;
    }
  | { readonly by: 'options'; readonly resultCode: ResultCode };

export interface Showcase {
  /** With I, O, Q or U, which Italian plates do not use, so that no ordinary session has it. */
  readonly plate: string;
  /** The purpose of the plate. */
  readonly title: string;
  readonly shows: readonly Shown[];
  readonly sessions?: (t: TimesAround) => readonly ShowcaseSession[];
  readonly subscriptions?: (t: TimesAround) => readonly ShowcaseSubscription[];
}

/** A session without its id and its plate. */
type ShowcaseSession = Omit<SessionLine, 'session_id' | 'plate'> & { readonly source: SourceCode };

/** How a subscription differs from one that is valid everywhere in the city. */
type ShowcaseSubscription = Partial<SubscriptionLine> & { readonly type?: SubscriptionType };

/**
 * The special plates: at least one for every reason of a diagnosis, every reason of a gate and every result of the
 * options query. What they show holds for hours; a tolerance holds for minutes, and each refresh renews it.
 */
export const SHOWCASE: readonly Showcase[] = [
  {
    plate: 'DE101MO',
    title: 'a subscription of residents, valid and near its renewal',
    shows: [diagnosis('VALID_SUBSCRIPTION', null), options('OPTIONS_AVAILABLE')],
    subscriptions: () => [{}],
  },
  {
    plate: 'DE102MO',
    title: 'granted by the office, never paid',
    shows: [diagnosis('FIRST_ACTIVATION_REQUIRED', null), options('OPTIONS_AVAILABLE')],
    subscriptions: () => [{ periods: [] }],
  },
  {
    plate: 'DE103MO',
    title: 'paid for a period that starts in five days',
    shows: [diagnosis('PERIOD_NOT_YET_ACTIVE', null), options('FUTURE_RENEWAL_ALREADY_PRESENT')],
    subscriptions: (t) => [{ periods: [period(t, 5, 35)] }],
  },
  {
    plate: 'DE104MO',
    title: 'the last period ended ten days ago',
    shows: [diagnosis('PERIOD_EXPIRED', null), options('OPTIONS_AVAILABLE')],
    subscriptions: (t) => [{ periods: [period(t, -40, -10)] }],
  },
  {
    plate: 'DE105MO',
    title: 'suspended for a month',
    shows: [diagnosis('SUBSCRIPTION_SUSPENDED', null), options('SUBSCRIPTION_SUSPENDED')],
    subscriptions: (t) => [{ suspended_from: t.inDays(-3), suspended_until: t.inDays(27) }],
  },
  {
    plate: 'DE106MO',
    title: 'revoked two days ago',
    shows: [diagnosis('SUBSCRIPTION_REVOKED', null), options('SUBSCRIPTION_REVOKED')],
    subscriptions: (t) => [{ revoked_at: t.inDays(-2) }],
  },
  {
    plate: 'DE107MO',
    title: 'the office granted it until five days ago',
    shows: [diagnosis('AUTHORIZATION_EXPIRED', null), options('AUTHORIZATION_EXPIRED')],
    subscriptions: (t) => [{ authorized_until: t.inDays(-5) }],
  },
  {
    plate: 'DE108MO',
    title: 'the office granted it from five days ahead',
    shows: [diagnosis('AUTHORIZATION_NOT_YET_ACTIVE', null), options('AUTHORIZATION_NOT_STARTED')],
    subscriptions: (t) => [{ authorized_from: t.inDays(5), periods: [] }],
  },
  {
    plate: 'DE109MO',
    title: 'limited to one facility: the answer depends on the area',
    shows: [
      diagnosis('AREA_CODE_REQUIRED', null),
      diagnosis('AREA_NOT_ALLOWED', SMALL_FACILITY),
      diagnosis('VALID_SUBSCRIPTION', LARGE_FACILITY),
    ],
    subscriptions: () => [{ areas: [LARGE_FACILITY] }],
  },
  {
    plate: 'DE201MO',
    title: 'a running prepaid session',
    shows: [gate('VALID_PREPAID_FACILITY_SESSION', 'entry', LARGE_FACILITY, { entitled: true })],
    sessions: (t) => [stay('booking', LARGE_FACILITY, t.inHours(-1), t.inHours(36))],
  },
  {
    plate: 'DE202MO',
    title: 'early: the session starts in ten minutes, within the entry tolerance',
    shows: [gate('VALID_PREPAID_FACILITY_SESSION', 'entry', LARGE_FACILITY, { entitled: false })],
    sessions: (t) => [stay('booking', LARGE_FACILITY, t.inMinutes(10), t.inHours(5))],
  },
  {
    plate: 'DE203MO',
    title: 'late: the session ended five minutes ago, within the exit tolerance',
    shows: [gate('VALID_PREPAID_FACILITY_SESSION', 'exit', LARGE_FACILITY, { entitled: false })],
    sessions: (t) => [stay('app', LARGE_FACILITY, t.inHours(-3), t.inMinutes(-5))],
  },
  {
    plate: 'DE204MO',
    title: 'a running start-and-stop session',
    shows: [gate('VALID_PREPAID_FACILITY_SESSION', 'exit', LARGE_FACILITY, { entitled: true })],
    sessions: (t) => [stay('app', LARGE_FACILITY, t.inHours(-2), null)],
  },
  {
    plate: 'DE205MO',
    title: 'a subscription, where the facility admits subscriptions',
    shows: [gate('VALID_FACILITY_SUBSCRIPTION', 'entry', LARGE_FACILITY, { entitled: true })],
    subscriptions: () => [{}],
  },
  {
    plate: 'DE206MO',
    title: 'a subscription and a session',
    shows: [gate('VALID_SESSION_AND_SUBSCRIPTION', 'entry', LARGE_FACILITY, { entitled: true })],
    sessions: (t) => [stay('meters', LARGE_FACILITY, t.inHours(-1), t.inHours(36))],
    subscriptions: () => [{}],
  },
  {
    plate: 'DE207MO',
    title: 'half a day too early',
    shows: [gate('SESSION_NOT_STARTED', 'entry', LARGE_FACILITY, { entitled: false })],
    sessions: (t) => [stay('booking', LARGE_FACILITY, t.inHours(12), t.inHours(36))],
  },
  {
    plate: 'DE208MO',
    title: 'the session ended four hours ago',
    shows: [gate('SESSION_EXPIRED', 'entry', LARGE_FACILITY, { entitled: false })],
    sessions: (t) => [stay('meters', LARGE_FACILITY, t.inHours(-6), t.inHours(-4))],
  },
  {
    plate: 'DE209MO',
    title: 'a subscription, where the facility admits none',
    shows: [gate('SUBSCRIPTION_NOT_ALLOWED', 'entry', SMALL_FACILITY, { entitled: true })],
    subscriptions: () => [{}],
  },
  {
    plate: 'DE210MO',
    title: 'the session was cancelled',
    shows: [gate('NO_VALID_FACILITY_ENTITLEMENT', 'entry', LARGE_FACILITY, { entitled: false })],
    sessions: (t) => [
      { ...stay('app', LARGE_FACILITY, t.inHours(-2), t.inHours(36)), cancelled_at: t.inHours(-1) },
    ],
  },
  {
    plate: 'DE211MO',
    title: 'a prepaid session, but the plate control of the facility is off',
    shows: [gate('PLATE_CONTROL_DISABLED', 'entry', WITHOUT_PLATE_CONTROL, { entitled: true })],
    sessions: (t) => [stay('booking', WITHOUT_PLATE_CONTROL, t.inHours(-1), t.inHours(36))],
  },
  {
    plate: 'DE212MO',
    title: 'a prepaid session, but the service of the facility is off',
    shows: [gate('FACILITY_SERVICE_DISABLED', 'entry', WITHOUT_SERVICE, { entitled: true })],
    sessions: (t) => [stay('booking', WITHOUT_SERVICE, t.inHours(-1), t.inHours(36))],
  },
  {
    plate: 'DE301MO',
    title: 'an unknown plate',
    shows: [options('SUBSCRIPTION_NOT_FOUND')],
  },
  {
    plate: 'DE302MO',
    title: 'only a freely sold subscription',
    shows: [options('DIRECT_PURCHASE_NOT_SUPPORTED')],
    subscriptions: () => [{ type: 'OPEN' }],
  },
  {
    plate: 'DE303MO',
    title: 'the plate has left the subscription',
    shows: [options('PLATE_NOT_ACTIVE')],
    subscriptions: (t) => [{ plates: [{ plate: 'DE303MO', valid_until: t.inDays(-7) }] }],
  },
  {
    plate: 'DE304MO',
    title: 'the office has not decided yet',
    shows: [options('APPLICATION_NOT_APPROVED')],
    subscriptions: () => [{ approval: 'pending', periods: [] }],
  },
  {
    plate: 'DE305MO',
    title: 'paid for longer than renewals are sold ahead',
    shows: [options('RENEWAL_NOT_ALLOWED')],
    subscriptions: (t) => [{ periods: [period(t, -10, 80)] }],
  },
  {
    plate: 'DE306MO',
    title: 'a type whose plans no parking meter sells',
    shows: [options('NO_PARKING_METER_PLANS')],
    subscriptions: () => [{ type: 'FLEET' }],
  },
  {
    plate: 'DE307MO',
    title: 'two subscriptions that could both be renewed',
    shows: [options('MULTIPLE_SUBSCRIPTIONS_FOUND')],
    subscriptions: () => [{}, { type: 'WORK' }],
  },
  {
    plate: 'DE401MO',
    title: 'granted and never paid, for the sale among the commands',
    shows: [options('OPTIONS_AVAILABLE')],
    subscriptions: () => [{ periods: [] }],
  },
  {
    plate: 'DE402MO',
    title: 'granted and never paid, for the sale of docs/meter.md',
    shows: [options('OPTIONS_AVAILABLE')],
    subscriptions: () => [{ periods: [] }],
  },
];

function diagnosis(reasonCode: SubscriptionReasonCode, areaCode: string | null): Shown {
  return { by: 'diagnosis', areaCode, reasonCode };
}

function gate(
  reasonCode: AccessReasonCode,
  event: AccessEvent,
  areaCode: string,
  { entitled }: { entitled: boolean },
): Shown {
  return { by: 'gate', areaCode, event, reasonCode, entitled };
}

function options(resultCode: ResultCode): Shown {
  return { by: 'options', resultCode };
}

function stay(source: SourceCode, areaCode: string, startsAt: string, endsAt: string | null) {
  return { source, area_code: areaCode, starts_at: startsAt, ends_at: endsAt };
}

function period(t: TimesAround, fromDay: number, untilDay: number) {
  return { starts_at: t.inDays(fromDay), ends_at: t.inDays(untilDay) };
}
