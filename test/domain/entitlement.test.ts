import { describe, expect, it } from 'vitest';

import {
  type EntitlementFacts,
  type EntitlementVerdict,
  judgeEntitlement,
  MAX_LISTED_SESSIONS,
} from '../../src/domain/entitlement.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { SESSION_WINDOW_MS } from '../../src/domain/parking-session.ts';
import { aSession, aSubscription, NOON, noon } from './fixtures.ts';

function judge(facts: Partial<EntitlementFacts>): EntitlementVerdict {
  const nothing = { sessions: [], subscriptions: [], areaCode: null };
  return judgeEntitlement({ ...nothing, ...facts }, NOON);
}

const LATER = aSession({ sessionId: 'later', startsAt: noon(HOUR_MS), endsAt: noon(2 * HOUR_MS) });
const ENDED = aSession({ sessionId: 'ended', startsAt: noon(-2 * HOUR_MS), endsAt: noon(-HOUR_MS) });
const CANCELLED = aSession({ sessionId: 'cancelled', cancelledAt: NOON });

describe('The judgement of a plate', () => {
  it('is an empty negative when nothing is known of it', () => {
    expect(judge({})).toEqual({
      sessions: [],
      subscriptions: [],
      sessionsCount: 0,
      validSessionsCount: 0,
      validSubscriptionsCount: 0,
      hasValidParking: false,
      hasValidSubscription: false,
      hasValidEntitlement: false,
      requiresAreaCode: false,
    });
  });

  it.each([
    ['session', { sessions: [aSession()] }, true, false],
    ['subscription', { subscriptions: [aSubscription()] }, false, true],
  ])('is positive through a valid %s alone', (_, facts, hasValidParking, hasValidSubscription) => {
    const found = { hasValidParking, hasValidSubscription, hasValidEntitlement: true };
    expect(judge(facts)).toMatchObject(found);
  });

  it('counts what was found and what is valid, sessions and subscriptions apart', () => {
    const verdict = judge({
      sessions: [LATER, aSession(), ENDED, CANCELLED],
      subscriptions: [
        aSubscription(),
        aSubscription({ subscriptionNumber: 'A-2' }),
        aSubscription({ subscriptionNumber: 'A-3', periods: [] }),
      ],
    });
    expect(verdict).toMatchObject({
      sessionsCount: 4,
      validSessionsCount: 1,
      validSubscriptionsCount: 2,
    });
    expect(verdict.subscriptions).toHaveLength(3);
  });
});

describe('The list of sessions', () => {
  it('has the newest start first, each with its status', () => {
    const { sessions } = judge({ sessions: [ENDED, aSession(), LATER] });
    expect(sessions.map((item) => [item.sessionId, item.status, item.isValidAtCheckTime])).toEqual([
      ['later', 'not_started', false],
      ['S-1', 'valid', true],
      ['ended', 'expired', false],
    ]);
  });

  it('keeps every field of a session', () => {
    const { sessions } = judge({ sessions: [CANCELLED] });
    expect(sessions).toEqual([{ ...CANCELLED, status: 'cancelled', isValidAtCheckTime: false }]);
  });

  it('is ordered by id, then by source, where sessions start together', () => {
    const named = (sessionId: string, sourceCode: string) => aSession({ sessionId, sourceCode });
    const { sessions } = judge({
      sessions: [named('b', 'y'), named('b', 'x'), named('a', 'z'), named('B', 'z')],
    });
    expect(sessions.map((item) => item.sessionId + item.sourceCode)).toEqual(['Bz', 'az', 'bx', 'by']);
  });

  it('passes over what lies outside the window', () => {
    const over = aSession({ startsAt: noon(-SESSION_WINDOW_MS - 1), endsAt: noon(-SESSION_WINDOW_MS) });
    expect(judge({ sessions: [over] })).toEqual(judge({}));
  });

  describe('when more were found than it holds', () => {
    const later = Array.from({ length: 60 }, (_, index) => {
      const startsAt = noon((index + 1) * MINUTE_MS);
      return aSession({ sessionId: `later-${index}`, startsAt, endsAt: noon(3 * HOUR_MS) });
    });
    const newestLater = later.toReversed().map((session) => session.sessionId);

    it('lists fifty and counts all', () => {
      const verdict = judge({ sessions: later });
      expect(verdict.sessions.map((item) => item.sessionId)).toEqual(
        newestLater.slice(0, MAX_LISTED_SESSIONS),
      );
      expect(verdict.sessionsCount).toBe(60);
      expect(MAX_LISTED_SESSIONS).toBe(50);
    });

    it('gives the valid ones a place before any other, and keeps the newest start first', () => {
      const verdict = judge({ sessions: [aSession(), ...later, ENDED] });
      expect(verdict.sessions.map((item) => item.sessionId)).toEqual([...newestLater.slice(0, 49), 'S-1']);
      expect(verdict).toMatchObject({ sessionsCount: 62, validSessionsCount: 1, hasValidParking: true });
    });

    it('lists the newest of the valid ones when these alone are too many', () => {
      const valid = Array.from({ length: 55 }, (_, index) =>
        aSession({ sessionId: `valid-${index}`, startsAt: noon(-index) }),
      );
      const verdict = judge({ sessions: [...valid.toReversed(), ...later] });
      expect(verdict.sessions.map((item) => item.sessionId)).toEqual(
        valid.slice(0, 50).map((session) => session.sessionId),
      );
      expect(verdict.validSessionsCount).toBe(55);
    });
  });
});

describe('The list of subscriptions', () => {
  it('is ordered by number, each with its diagnosis', () => {
    const { subscriptions } = judge({
      subscriptions: [aSubscription({ subscriptionNumber: 'A-2', periods: [] }), aSubscription()],
    });
    expect(subscriptions).toEqual([
      {
        subscriptionNumber: 'A-1',
        plate: 'AB123CD',
        status: 'active',
        reasonCode: 'VALID_SUBSCRIPTION',
        isValidAtCheckTime: true,
      },
      {
        subscriptionNumber: 'A-2',
        plate: 'AB123CD',
        status: 'approved',
        reasonCode: 'FIRST_ACTIVATION_REQUIRED',
        isValidAtCheckTime: false,
      },
    ]);
  });

  it.each([
    ['whose application is pending', aSubscription({ approval: 'pending' })],
    ['that the plate has left', aSubscription({ plateValidity: [{ from: null, until: NOON }] })],
  ])('leaves out one %s', (_, subscription) => {
    expect(judge({ subscriptions: [subscription] })).toEqual(judge({}));
  });
});

describe('The area', () => {
  const limited = aSubscription({ areas: ['P1'] });

  it('is required when a subscription cannot be judged without, and the check is not complete then', () => {
    expect(judge({ subscriptions: [limited] })).toMatchObject({
      requiresAreaCode: true,
      hasValidSubscription: false,
      hasValidEntitlement: false,
      subscriptions: [{ reasonCode: 'AREA_CODE_REQUIRED', isValidAtCheckTime: false }],
    });
  });

  it('is required also when another title is valid', () => {
    const subscriptions = [limited, aSubscription({ subscriptionNumber: 'A-2' })];
    expect(judge({ sessions: [aSession()], subscriptions })).toMatchObject({
      requiresAreaCode: true,
      hasValidEntitlement: true,
    });
  });

  it.each([
    ['it was given', { subscriptions: [limited], areaCode: 'P1' }, true],
    ['another one was given', { subscriptions: [limited], areaCode: 'P2' }, false],
    [
      'the limited one is not valid for another reason',
      { subscriptions: [{ ...limited, revokedAt: NOON }] },
      false,
    ],
    [
      'the limited one is not listed',
      { subscriptions: [{ ...limited, approval: 'pending' as const }] },
      false,
    ],
  ])('is not required when %s', (_, facts, valid) => {
    expect(judge(facts)).toMatchObject({
      requiresAreaCode: false,
      hasValidSubscription: valid,
    });
  });
});
