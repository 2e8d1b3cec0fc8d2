import type { AccessFacts, Facility } from '../../src/domain/facility-access.ts';
import { HOUR_MS, type Instant, instant, parseInstant } from '../../src/domain/instant.ts';
import type { ParkingSession } from '../../src/domain/parking-session.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import type { HeldSubscription, MeterPlan, SubscriptionType } from '../../src/domain/purchase-options.ts';
import type { Subscription } from '../../src/domain/subscription.ts';

/** The instant of these tests: an ordinary noon. */
export const NOON = time('2026-03-10T12:00:00Z');

export function time(text: string): Instant {
  const at = parseInstant(text);
  if (at === null) throw new Error(`no instant: ${text}`);
  return at;
}

/** @returns the instant so many milliseconds after noon (or before it). */
export function noon(ms = 0): Instant {
  return instant(NOON + ms);
}

/** A session that is valid at noon, from an hour before to an hour after, with one deviation a test. */
export function aSession(deviation: Partial<ParkingSession> = {}): ParkingSession {
  return {
    sessionId: 'S-1',
    plate: storedPlate('AB123CD'),
    area: { code: 'P1', name: 'Parcheggio Centro' },
    sourceCode: 'meters',
    startsAt: noon(-HOUR_MS),
    endsAt: noon(HOUR_MS),
    cancelledAt: null,
    openSessionMaxHours: 72,
    ...deviation,
  };
}

/** A subscription that is valid at noon everywhere, with one deviation a test. */
export function aSubscription(deviation: Partial<Subscription> = {}): Subscription {
  return {
    subscriptionNumber: 'A-1',
    plate: storedPlate('AB123CD'),
    plateValidity: [{ from: null, until: null }],
    approval: 'approved',
    authorized: { from: null, until: null },
    suspended: null,
    revokedAt: null,
    periods: [{ startsAt: noon(-HOUR_MS), endsAt: noon(HOUR_MS) }],
    areas: 'all',
    ...deviation,
  };
}

/** A facility with both tolerances, which admits subscriptions. */
export function aFacility(deviation: Partial<Facility> = {}): Facility {
  return {
    serviceEnabled: true,
    plateControlEnabled: true,
    subscriptionAccess: true,
    entryGraceMinutes: 10,
    exitGraceMinutes: 15,
    ...deviation,
  };
}

export function accessFacts(deviation: Partial<AccessFacts> = {}): AccessFacts {
  return { event: 'verify', facility: aFacility(), sessions: [], holdsSubscription: false, ...deviation };
}

/** What a meter sells for either operation. */
export const MONTHLY: MeterPlan = {
  code: '101',
  amountCents: 2_500,
  duration: 'P1M',
  description: 'RESIDENTI MENSILE',
  operations: ['first_activation', 'renewal'],
};

export interface HeldDeviation {
  readonly subscription?: Partial<Subscription>;
  readonly type?: Partial<SubscriptionType>;
  readonly plans?: readonly MeterPlan[];
}

/** A title that is valid at noon and can be renewed, with one deviation a test. */
export function held({
  subscription = {},
  type = {},
  plans = [MONTHLY],
}: HeldDeviation = {}): HeldSubscription {
  const own = aSubscription(subscription);
  return {
    id: 1,
    subscription: own,
    isActivated: own.periods.length > 0,
    accepted: [],
    type: {
      ...{ code: 'RES', freelySold: false, renewalAllowed: true, renewalOpensDaysBefore: null },
      soldWithinAuthorization: false,
      ...type,
    },
    plans,
  };
}
