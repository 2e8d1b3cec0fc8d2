import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, instant } from '../../src/domain/instant.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { type HistoryQuery, historyOf, lateBySeconds } from '../../src/office/evidence/around.ts';
import type {
  PaymentVersion,
  PlateVersion,
  SessionVersion,
  SubscriptionVersion,
} from '../../src/office/history/versions.ts';

/** The instant that is judged. */
const AT = Date.UTC(2026, 2, 7, 11);
const LONG_AGO = AT - 30 * DAY_MS;
const FROM = AT - DAY_MS;
const UNTIL = AT + DAY_MS;

const QUERY: HistoryQuery = {
  window: { from: instant(FROM), until: instant(UNTIL) },
  areaCode: null,
  openSessionMaxHours: new Map([['app1', 2]]),
};

const plate = storedPlate('A');
const recorded = (recordedAt: number, replacedAt: number | null = null) => ({
  recordedAt: instant(recordedAt),
  replacedAt: replacedAt === null ? null : instant(replacedAt),
  requestId: null,
});

interface Session {
  readonly from: number;
  readonly until: number | null;
  readonly area?: string;
  readonly source?: string;
}

const session = (
  at: ReturnType<typeof recorded>,
  { from, until, area = 'P1', source = 'app1' }: Session,
  isFirst = true,
): SessionVersion => ({
  ...{ kind: 'parking_session', key: 's', ...at },
  ...{ id: 1, sourceCode: source, sessionId: 's', plate, areaCode: area, cancelledAt: null },
  ...{ startsAt: instant(from), endsAt: until === null ? null : instant(until) },
  ...{ revision: null, before: isFirst ? null : LONG_AGO },
});

const subscription = (
  from: number | null,
  until: number | null,
  periods: readonly (readonly [number, number])[] = [],
): SubscriptionVersion => ({
  ...{ kind: 'subscription', key: 'n', ...recorded(LONG_AGO) },
  ...{ id: 1, subscriptionNumber: 'n', type: 'RES', spans: [], approval: 'approved', limitedTo: null },
  authorizedFrom: from === null ? null : instant(from),
  authorizedUntil: until === null ? null : instant(until),
  ...{ suspendedFrom: null, suspendedUntil: null, revokedAt: null, revision: null },
  periods: periods.map(([starts, ends]) => [instant(starts), instant(ends)] as const),
});

const payment = (collectedAt: number, paid: readonly [number, number] | null): PaymentVersion => ({
  ...{ kind: 'payment', key: 'p', ...recorded(LONG_AGO) },
  ...{ municipalityId: 1, paymentId: 'p', plate, terminalCode: null, planCode: '101' },
  ...{ subscriptionId: 1, subscriptionNumber: 'n', state: 'accepted' as const },
  ...{ amountCents: 1, expectedCents: 1, sentCollectedAt: instant(collectedAt), operation: null },
  ...{ settledOutcome: null, settledNote: null, settledAt: null },
  ...{ collectedAt: instant(collectedAt), resultCode: 'PERIOD_CREATED' },
  ...{ startsAt: paid && instant(paid[0]), endsAt: paid && instant(paid[1]) },
  ...{ reversedAt: null, reversalReason: null, reversalRecordedAt: null },
});

const isListed = (version: PlateVersion, deviation: Partial<HistoryQuery> = {}): boolean =>
  historyOf([version], { ...QUERY, ...deviation }).length === 1;

describe('The history of an instant', () => {
  it.each<[string, Session, boolean]>([
    ['ends as the 24 h before begin', { from: FROM - HOUR_MS, until: FROM }, false],
    ['ends a moment later', { from: FROM - HOUR_MS, until: FROM + 1 }, true],
    ['starts a moment before the 24 h after are over', { from: UNTIL - 1, until: null }, true],
    ['lasts for all of it', { from: FROM - 1, until: UNTIL + 1 }, true],
    ['runs, while its source lets it count', { from: FROM - 2 * HOUR_MS + 1, until: null }, true],
    ['runs and was forgotten', { from: FROM - 2 * HOUR_MS, until: null }, false],
    ['runs, of a source that came later', { from: 0, until: null, source: 'new' }, true],
  ])('has a session that %s: %#', (_, of, listed) => {
    expect(isListed(session(recorded(LONG_AGO), of))).toBe(listed);
  });

  it.each<[string, ReturnType<typeof recorded>, boolean]>([
    ['recorded as the 24 h before begin', recorded(FROM), true],
    ['recorded a moment earlier', recorded(FROM - 1), false],
    ['recorded a moment before the 24 h after are over', recorded(UNTIL - 1), true],
    ['recorded as they are over', recorded(UNTIL), false],
    ['replaced within them', recorded(LONG_AGO, AT), true],
    ['replaced before', recorded(LONG_AGO, FROM - 1), false],
  ])('has a session of another day that was %s: %#', (_, when, listed) => {
    expect(isListed(session(when, { from: 0, until: 1 }))).toBe(listed);
  });

  it.each<[string, PlateVersion, boolean]>([
    ['a subscription that was authorized then', subscription(0, FROM + 1), true],
    ['one whose authorization had just ended', subscription(0, FROM), false],
    ['one that has no bound', subscription(null, null), true],
    ['one with a period then', subscription(0, 1, [[0, FROM + 1]]), true],
    ['one with a period before', subscription(0, 1, [[0, FROM]]), false],
    ['one with a period after', subscription(0, 1, [[UNTIL + 1, UNTIL + 2]]), false],
    ['a payment for that time', payment(LONG_AGO, [FROM - 1, FROM + 1]), true],
    ['one for another time', payment(LONG_AGO, [0, FROM]), false],
    ['one that was collected then', payment(AT, null), true],
    ['one that was collected long ago, for nothing', payment(LONG_AGO, null), false],
  ])('has %s: %#', (_, version, listed) => {
    expect(isListed(version)).toBe(listed);
  });

  it('of an area has its sessions; subscriptions and payments always', () => {
    const inStreet = { areaCode: 'S1' };
    const then = { from: FROM, until: UNTIL };
    expect(isListed(session(recorded(AT), { ...then, area: 'S1' }), inStreet)).toBe(true);
    expect(isListed(session(recorded(AT), then), inStreet)).toBe(false);
    expect(isListed(subscription(null, null), inStreet)).toBe(true);
    expect(isListed(payment(AT, null), inStreet)).toBe(true);
  });
});

describe('How late a session was recorded', () => {
  it.each([
    ['before its start', -1, 0],
    ['at its start', 0, 0],
    ['less than a second after', 999, 0],
    ['a second after', 1_000, 1],
    ['six minutes and a half second after', 360_500, 360],
  ])('is, %s, whole seconds rounded down', (_, ms, seconds) => {
    expect(lateBySeconds(session(recorded(AT + ms), { from: AT, until: null }))).toBe(seconds);
  });

  it('does not name a later version, nor another kind', () => {
    expect(lateBySeconds(session(recorded(AT), { from: LONG_AGO, until: null }, false))).toBeNull();
    expect(lateBySeconds(subscription(LONG_AGO, null))).toBeNull();
    expect(lateBySeconds(payment(LONG_AGO, null))).toBeNull();
  });
});
