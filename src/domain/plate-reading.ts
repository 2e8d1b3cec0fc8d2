import type { AccessDecision } from './facility-access.ts';

/** The most sessions of a plate that a call reads. Whoever parks has some tens in two days. */
export const MAX_READ_SESSIONS = 1_000;
/** Likewise subscriptions. */
export const MAX_READ_SUBSCRIPTIONS = 200;

/** How much a call has read of what is stored of a plate: whether each of these is whole. */
export interface PlateReading {
  /** The sessions that may be valid at the instant. */
  readonly validSessions: boolean;
  /** Those that may open a gate then: within its tolerances. */
  readonly gateSessions: boolean;
  /** The subscriptions that the plate is on then. */
  readonly subscriptions: boolean;
}

/** Of nearly every plate. */
export const WHOLE_READING: PlateReading = { validSessions: true, gateSessions: true, subscriptions: true };

/** What an answer says of a plate. */
export interface Answered {
  readonly hasValidParking: boolean;
  /** Null where the answer does not speak of subscriptions: V1, or the municipality has none. */
  readonly hasValidSubscription: boolean | null;
  /** Null where it decides on no gate. */
  readonly access: (Pick<AccessDecision, 'granted' | 'reasonCode'> & GateOfSubscriptions) | null;
}

interface GateOfSubscriptions {
  /** Whether a subscription would open the gate. */
  readonly subscriptionAccess: boolean;
}

/** What a "no" may rest on that was not read. */
export type Unread = 'sessions' | 'subscriptions';

/**
 * What was not read, and might turn a "no" of the answer into a "yes". None: the answer may leave. A "yes" rests on what was
 * read, whatever else there is.
 */
export function unreadBehindNo(
  { hasValidParking, hasValidSubscription, access }: Answered,
  { validSessions, gateSessions, subscriptions }: PlateReading,
): readonly Unread[] {
  const isShut = access !== null && !access.granted && !isSwitchedOff(access);
  const needsSessions = (!hasValidParking && !validSessions) || (isShut && !gateSessions);
  const needsSubscriptions =
    !subscriptions && (hasValidSubscription === false || (isShut && access.subscriptionAccess));
  return [
    ...(needsSessions ? (['sessions'] as const) : []),
    ...(needsSubscriptions ? (['subscriptions'] as const) : []),
  ];
}

/** Then nothing that is stored of a plate would open it. */
const isSwitchedOff = ({ reasonCode }: Pick<AccessDecision, 'reasonCode'>): boolean =>
  reasonCode === 'FACILITY_SERVICE_DISABLED' || reasonCode === 'PLATE_CONTROL_DISABLED';
