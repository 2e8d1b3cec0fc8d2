import { describe, expect, it } from 'vitest';
import {
  type Answered,
  type PlateReading,
  unreadBehindNo,
  WHOLE_READING,
} from '../../src/domain/plate-reading.ts';

const SHUT = {
  granted: false,
  reasonCode: 'NO_VALID_FACILITY_ENTITLEMENT',
  subscriptionAccess: false,
} as const;
const NOTHING: Answered = { hasValidParking: false, hasValidSubscription: false, access: null };
const V1: Answered = { ...NOTHING, hasValidSubscription: null };
const ALL: Answered = {
  hasValidParking: true,
  hasValidSubscription: true,
  access: { granted: true, reasonCode: 'VALID_SESSION_AND_SUBSCRIPTION', subscriptionAccess: true },
};
const NO_MORE_SESSIONS = { validSessions: false, gateSessions: false };

/** What is answered, what was not read whole, and what the answer then lacks. */
const CASES: readonly (readonly [string, Answered, Partial<PlateReading>, readonly string[]])[] = [
  ['no to everything, of all there is', NOTHING, {}, []],
  ['no to a session, of some sessions', NOTHING, NO_MORE_SESSIONS, ['sessions']],
  ['no to a session, of all that may be valid', NOTHING, { gateSessions: false }, []],
  ['no to a subscription, of some subscriptions', NOTHING, { subscriptions: false }, ['subscriptions']],
  [
    'no to both, of some of both',
    NOTHING,
    { ...NO_MORE_SESSIONS, subscriptions: false },
    ['sessions', 'subscriptions'],
  ],
  ['V1, of some subscriptions', V1, { subscriptions: false }, []],
  ['V1, of some sessions', V1, NO_MORE_SESSIONS, ['sessions']],
  ['yes to everything, of some of both', ALL, { ...NO_MORE_SESSIONS, subscriptions: false }, []],
  ['yes to a session alone, of some sessions', { ...NOTHING, hasValidParking: true }, NO_MORE_SESSIONS, []],
  [
    'yes to a session alone, of some subscriptions',
    { ...NOTHING, hasValidParking: true },
    { subscriptions: false },
    ['subscriptions'],
  ],
  ['a shut gate, of all sessions', { ...ALL, access: SHUT }, {}, []],
  [
    'a shut gate, of some within its tolerances',
    { ...ALL, access: SHUT },
    { gateSessions: false },
    ['sessions'],
  ],
  ['a shut gate that no subscription opens, of some', { ...ALL, access: SHUT }, { subscriptions: false }, []],
  [
    'a shut gate that a subscription opens, of some',
    { ...ALL, access: { ...SHUT, subscriptionAccess: true } },
    { subscriptions: false },
    ['subscriptions'],
  ],
  ...(['FACILITY_SERVICE_DISABLED', 'PLATE_CONTROL_DISABLED'] as const).map(
    (reasonCode) =>
      [
        `a gate that is shut by ${reasonCode}, of some sessions`,
        { ...ALL, access: { ...SHUT, reasonCode } },
        NO_MORE_SESSIONS,
        [],
      ] as const,
  ),
  [
    'an open gate within a tolerance, of all that may be valid',
    { ...ALL, hasValidParking: false },
    { gateSessions: false },
    [],
  ],
];

describe('What a "no" lacks', () => {
  it.each(CASES)('%s', (_, answered, reading, unread) => {
    expect(unreadBehindNo(answered, { ...WHOLE_READING, ...reading })).toEqual(unread);
  });
});
