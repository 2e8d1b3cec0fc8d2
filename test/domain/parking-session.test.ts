import { describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../src/domain/instant.ts';
import {
  effectiveEnd,
  isInSessionWindow,
  SESSION_WINDOW_MS,
  sessionStatus,
} from '../../src/domain/parking-session.ts';
import { aSession, NOON, noon } from './fixtures.ts';

describe('A parking session', () => {
  it.each([
    [-HOUR_MS - 1, 'not_started'],
    [-HOUR_MS, 'valid'],
    [0, 'valid'],
    [HOUR_MS - 1, 'valid'],
    [HOUR_MS, 'expired'],
    [HOUR_MS + 1, 'expired'],
  ])('from an hour before noon to an hour after is, %d ms from noon, %s', (ms, status) => {
    expect(sessionStatus(aSession(), noon(ms))).toBe(status);
  });

  it.each([
    [1, 'valid'],
    [0, 'cancelled'],
    [-1, 'cancelled'],
  ])('that is cancelled %d ms after the instant is %s at it', (ms, status) => {
    expect(sessionStatus(aSession({ cancelledAt: noon(ms) }), NOON)).toBe(status);
  });

  it.each([
    ['not started', { startsAt: noon(1) }],
    ['expired', { endsAt: NOON }],
  ])('is cancelled rather than %s', (_, deviation) => {
    expect(sessionStatus(aSession({ ...deviation, cancelledAt: NOON }), NOON)).toBe('cancelled');
  });

  it('keeps the status of its dates until its cancellation comes', () => {
    expect(sessionStatus(aSession({ endsAt: NOON, cancelledAt: noon(1) }), NOON)).toBe('expired');
    expect(sessionStatus(aSession({ startsAt: noon(1), cancelledAt: noon(1) }), NOON)).toBe('not_started');
  });

  it('with an end is not cut by the bound for open ones', () => {
    const session = aSession({ startsAt: noon(-200 * HOUR_MS), endsAt: noon(1) });
    expect(sessionStatus(session, NOON)).toBe('valid');
  });

  describe('of the start-and-stop kind, still open', () => {
    const open = aSession({ startsAt: NOON, endsAt: null, openSessionMaxHours: 5 });

    it.each([
      [-1, 'not_started'],
      [0, 'valid'],
      [5 * HOUR_MS - 1, 'valid'],
      [5 * HOUR_MS, 'expired'],
    ])('is, %d ms from its start, %s when its source waits five hours for the stop', (ms, status) => {
      expect(sessionStatus(open, noon(ms))).toBe(status);
    });

    it('ends, in effect, when its source no longer waits, or says so', () => {
      expect(effectiveEnd(open)).toBe(noon(5 * HOUR_MS));
      expect(effectiveEnd(aSession({ endsAt: noon(5) }))).toBe(noon(5));
    });
  });

  describe('belongs to a check', () => {
    it.each([
      ['that ended 24 h before, exactly', -2 * SESSION_WINDOW_MS, -SESSION_WINDOW_MS, false],
      ['that ended just less than 24 h before', -2 * SESSION_WINDOW_MS, -SESSION_WINDOW_MS + 1, true],
      ['that starts just less than 24 h later', SESSION_WINDOW_MS - 1, 2 * SESSION_WINDOW_MS, true],
      ['that starts 24 h later, exactly', SESSION_WINDOW_MS, 2 * SESSION_WINDOW_MS, false],
      ['that spans it all', -9 * SESSION_WINDOW_MS, 9 * SESSION_WINDOW_MS, true],
    ])('%s: from %d to %d ms: %s', (_, startsAt, endsAt, expected) => {
      const session = aSession({ startsAt: noon(startsAt), endsAt: noon(endsAt) });
      expect(isInSessionWindow(session, NOON)).toBe(expected);
    });

    it.each([
      [1, true],
      [0, false],
    ])('by its effective end: one left open, past its bound for 24 h less %d ms: %s', (ms, expected) => {
      const startsAt = noon(-SESSION_WINDOW_MS - 5 * HOUR_MS + ms);
      const session = aSession({ startsAt, endsAt: null, openSessionMaxHours: 5 });
      expect(isInSessionWindow(session, NOON)).toBe(expected);
    });
  });
});
