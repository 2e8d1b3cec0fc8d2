import type { AccessDecision } from './facility-access.ts';

/** The most sessions of a plate that a call reads. A vehicle has some tens in two days. */
export const MAX_READ_SESSIONS = 1_000;
/** Likewise subscriptions. */
export const MAX_READ_SUBSCRIPTIONS = 200;

/** The most rows of the journal that evidence reads of a plate, and the most bytes of their records. A van that parks ten times a day has some thousands. */
export const MAX_READ_CHANGES = 10_000;
export const MAX_READ_CHANGES_BYTES = 8 * 1024 * 1024;

/** Which rows of a plate a call has read completely. */
export interface PlateReading {
  /** The sessions that may be valid at the instant. */
  readonly validSessions: boolean;
  /** Those that may open a gate at it, within its tolerances. */
  readonly gateSessions: boolean;
  /** The subscriptions that the plate is on at it. */
  readonly subscriptions: boolean;
}

/** The reading of nearly every plate. */
export const WHOLE_READING: PlateReading = { validSessions: true, gateSessions: true, subscriptions: true };

/** What an answer says about a plate. */
export interface Answered {
  readonly hasValidParking: boolean;
  /** Null where the answer leaves subscriptions out: V1, or a municipality without them. */
  readonly hasValidSubscription: boolean | null;
  /** Null where no gate is decided. */
  readonly access: (Pick<AccessDecision, 'granted' | 'reasonCode'> & GateOfSubscriptions) | null;
}

interface GateOfSubscriptions {
  /** Whether a subscription would open the gate. */
  readonly subscriptionAccess: boolean;
}

/** What an answer depends on, but was not read. */
export type Unread = 'sessions' | 'subscriptions' | 'history' | 'checks';

/**
 * What was not read and might turn a "no" of the answer into a "yes". If nothing, the answer may be sent. A "yes" holds,
 * whatever was not read.
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

/** Whether nothing that is stored of a plate could open the gate. */
const isSwitchedOff = ({ reasonCode }: Pick<AccessDecision, 'reasonCode'>): boolean =>
  reasonCode === 'FACILITY_SERVICE_DISABLED' || reasonCode === 'PLATE_CONTROL_DISABLED';
