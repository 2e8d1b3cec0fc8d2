import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/instant.ts';
import {
  type AwaitedSource,
  conclude,
  type Finding,
  type Sighting,
} from '../../src/domain/patrol/finding.ts';
import {
  mayBePaid,
  mayBeRenewed,
  type Rights,
  type SeenIn,
  standingOf,
  type Tolerance,
} from '../../src/domain/patrol/standing.ts';
import { aFacility, aSession, aSubscription, NOON, noon } from './fixtures.ts';

const STREET: SeenIn = { code: 'S1', facility: null };
const GARAGE: SeenIn = { code: 'P1', facility: aFacility() };
const STRICT: Tolerance = { observationMinutes: 0, overstayMinutes: 0 };
const KIND: Tolerance = { observationMinutes: 5, overstayMinutes: 10 };

const parked = (from: number, until: number | null, cancelledAt: number | null = null): Rights => ({
  sessions: [
    aSession({
      startsAt: noon(from),
      endsAt: until === null ? null : noon(until),
      cancelledAt: cancelledAt === null ? null : noon(cancelledAt),
    }),
  ],
  subscriptions: [],
});
const entitled = (deviation: Parameters<typeof aSubscription>[0]): Rights => ({
  sessions: [],
  subscriptions: [aSubscription(deviation)],
});
const periodOf = (from: number, until: number) =>
  entitled({ periods: [{ startsAt: noon(from), endsAt: noon(until) }] });
const OVER = KIND.overstayMinutes * MINUTE_MS;
const WATCH = KIND.observationMinutes * MINUTE_MS;

const STANDINGS: readonly [string, Rights, SeenIn, Tolerance, ReturnType<typeof standingOf>][] = [
  ['a session from now on', parked(0, HOUR_MS), STREET, STRICT, 'entitled'],
  ['a session from a millisecond on, nothing tolerated', parked(1, HOUR_MS), STREET, STRICT, null],
  ['a session that ends now, nothing tolerated', parked(-HOUR_MS, 0), STREET, STRICT, null],
  ['a session until a millisecond from now', parked(-HOUR_MS, 1), STREET, STRICT, 'entitled'],
  ['one that starts within the observation', parked(1, HOUR_MS), STREET, KIND, 'tolerated'],
  ['one that starts in its last millisecond', parked(WATCH - 1, HOUR_MS), STREET, KIND, 'tolerated'],
  ['one that starts at its end', parked(WATCH, HOUR_MS), STREET, KIND, null],
  ['one that has just ended', parked(-HOUR_MS, 0), STREET, KIND, 'tolerated'],
  ['one whose last instant is in the overstay', parked(-HOUR_MS, -OVER + 2), STREET, KIND, 'tolerated'],
  ['one whose last instant is its far end', parked(-HOUR_MS, -OVER + 1), STREET, KIND, null],
  [
    'one that was cancelled in the overstay',
    parked(-HOUR_MS, HOUR_MS, -MINUTE_MS),
    STREET,
    KIND,
    'tolerated',
  ],
  ['one that was cancelled before it', parked(-HOUR_MS, HOUR_MS, -OVER), STREET, KIND, null],
  ['one that was cancelled before its start', parked(1, HOUR_MS, 0), STREET, KIND, null],
  ['a running one', parked(-HOUR_MS, null), STREET, STRICT, 'entitled'],
  ['a forgotten one', parked(-73 * HOUR_MS, null), STREET, STRICT, null],
  ['a subscription', periodOf(0, 1), STREET, STRICT, 'entitled'],
  ['a subscription of another area', entitled({ areas: ['S2'] }), STREET, KIND, null],
  ['a subscription from a millisecond on', periodOf(1, 2), STREET, KIND, 'tolerated'],
  ['one from the end of the observation on', periodOf(WATCH, HOUR_MS), STREET, KIND, null],
  ['one that has just ended', periodOf(-HOUR_MS, 0), STREET, KIND, 'tolerated'],
  ['one that ended before the overstay', periodOf(-HOUR_MS, -OVER + 1), STREET, KIND, null],
  ['one not approved', entitled({ approval: 'pending' }), STREET, KIND, null],
  ['one revoked now', entitled({ revokedAt: NOON }), STREET, KIND, 'tolerated'],
  ['a facility’s own tolerance after the end', parked(-HOUR_MS, -14 * MINUTE_MS), GARAGE, STRICT, 'entitled'],
  [
    'a facility’s own tolerance before the start',
    parked(10 * MINUTE_MS, HOUR_MS),
    GARAGE,
    STRICT,
    'entitled',
  ],
  ['a street has none', parked(10 * MINUTE_MS, HOUR_MS), STREET, STRICT, null],
  ['nothing', { sessions: [], subscriptions: [] }, STREET, KIND, null],
];

const WEEK = 7 * DAY_MS;
const RENEWALS: readonly [string, Parameters<typeof aSubscription>[0], boolean][] = [
  ['was never activated', { periods: [] }, true],
  ['was never activated, in another area', { periods: [], areas: ['S2'] }, false],
  ['ended now', { periods: [{ startsAt: noon(-DAY_MS), endsAt: NOON }] }, true],
  [
    'ended a millisecond less than a week ago',
    { periods: [{ startsAt: noon(-2 * WEEK), endsAt: noon(1 - WEEK) }] },
    true,
  ],
  [
    'ended long ago, and again lately',
    { periods: [noon(-3 * WEEK), noon(-DAY_MS)].map((endsAt) => ({ startsAt: noon(-4 * WEEK), endsAt })) },
    true,
  ],
  ['ended a week ago', { periods: [{ startsAt: noon(-2 * WEEK), endsAt: noon(-WEEK) }] }, false],
  ['was authorized until less than a week ago', { authorized: { from: null, until: noon(1 - WEEK) } }, true],
  ['was authorized until a week ago', { authorized: { from: null, until: noon(-WEEK) } }, false],
  ['is revoked', { periods: [], revokedAt: NOON }, false],
  ['is suspended', { periods: [], suspended: { from: NOON, until: null } }, false],
  ['starts later', { periods: [{ startsAt: noon(1), endsAt: noon(2) }] }, false],
  ['is not approved', { periods: [], approval: 'pending' }, false],
  ['is not the plate’s any more', { periods: [], plateValidity: [{ from: null, until: NOON }] }, false],
];

const source = (deviation: Partial<AwaitedSource> = {}): AwaitedSource => ({
  code: 'app1',
  isSystem: false,
  staleAfterMinutes: 15,
  lastOutcome: 'succeeded',
  lastSuccessfulAt: NOON,
  reportDelayMinutes: 1,
  ...deviation,
});
const MINUTE_LATE = noon(-MINUTE_MS);

const sighting = (deviation: Partial<Sighting> = {}): Sighting => ({
  seenAt: noon(-2 * MINUTE_MS),
  standing: null,
  paymentDue: true,
  sources: [source()],
  lineRejected: false,
  paymentUnsettled: false,
  subscriptionMayBeRenewed: false,
  similarPlateEntitled: false,
  validIn: [],
  ...deviation,
});
const areas = (...codes: string[]) => codes.map((code) => ({ code, name: code }));
const EYES = {
  lineRejected: true,
  paymentUnsettled: true,
  subscriptionMayBeRenewed: true,
  similarPlateEntitled: true,
  validIn: areas('Z', 'A', 'F', 'E', 'D', 'C'),
};
const STALE = source({ lastSuccessfulAt: noon(-16 * MINUTE_MS) });
const of = (deviation: Partial<AwaitedSource>) => ({ sources: [source(deviation)] });
const NEVER = { lastOutcome: null, lastSuccessfulAt: null } as const;
const FAILED = { lastOutcome: 'failed' } as const;
const NATIVE = { isSystem: true } as const;
const AGAIN = 'look_again';
const OFFICER = 'officer_decides';
const LATE = ['SOURCE_LATE app1'];
const [FIVE, QUARTER] = [5 * MINUTE_MS, 15 * MINUTE_MS];
const WRONG = { paymentDue: false, sources: [STALE], ...EYES };
const ALL_DOUBTS = [
  ...['MAY_BE_PAYING', 'SOURCE_LATE app1', 'LINE_REJECTED', 'PAYMENT_UNSETTLED'],
  ...['SUBSCRIPTION_MAY_BE_RENEWED', 'SIMILAR_PLATE_ENTITLED'],
  ...['A', 'C', 'D', 'E', 'F'].map((area) => `VALID_IN_OTHER_AREA ${area}`),
];

/** What is concluded, when to ask again (after noon), and the doubts; no minute is observed but where it is said. */
const CASES: readonly [
  string,
  Partial<Sighting>,
  Finding,
  again: number | null,
  doubts: readonly string[],
  observed?: number,
][] = [
  ['entitled comes first', { standing: 'entitled', ...WRONG }, 'entitled', null, []],
  ['then what is tolerated', { standing: 'tolerated', ...WRONG }, 'tolerated', null, []],
  ['then that nothing is due', WRONG, 'not_due', null, []],
  [
    'then what time settles, with all doubts in order',
    { ...WRONG, paymentDue: true, seenAt: NOON },
    ...([AGAIN, FIVE, ALL_DOUBTS, 1] as const),
  ],
  ['then what eyes settle: a rejected line', { lineRejected: true }, OFFICER, null, ['LINE_REJECTED']],
  ['an unsettled payment', { paymentUnsettled: true }, OFFICER, null, ['PAYMENT_UNSETTLED']],
  ['a renewal', { subscriptionMayBeRenewed: true }, OFFICER, null, ['SUBSCRIPTION_MAY_BE_RENEWED']],
  ['a similar plate', { similarPlateEntitled: true }, OFFICER, null, ['SIMILAR_PLATE_ENTITLED']],
  ['another area', { validIn: areas('S2') }, OFFICER, null, ['VALID_IN_OTHER_AREA S2']],
  ['nothing at all', {}, 'no_entitlement', null, []],
  ['the driver may be paying', { seenAt: noon(-MINUTE_MS + 1), sources: [] }, AGAIN, 1, ['MAY_BE_PAYING'], 1],
  ['the observation is over', { seenAt: MINUTE_LATE, sources: [] }, 'no_entitlement', null, [], 1],
  ['complete to the millisecond', { seenAt: MINUTE_LATE }, 'no_entitlement', null, []],
  ['lacking a millisecond', { seenAt: noon(-MINUTE_MS + 1) }, AGAIN, 30 * SECOND_MS, LATE],
  ['lacking a minute of the observation', { seenAt: MINUTE_LATE }, AGAIN, MINUTE_MS, LATE, 1],
  ['lacking more than a quarter', { seenAt: NOON, ...of({ reportDelayMinutes: 60 }) }, AGAIN, QUARTER, LATE],
  ['one that has never imported', of(NEVER), AGAIN, FIVE, LATE],
  ['one whose import failed', of(FAILED), AGAIN, FIVE, LATE],
  [
    'the later of two sources',
    { seenAt: noon(-MINUTE_MS + 1), sources: [source(), { ...STALE, code: 'b' }] },
    ...([AGAIN, FIVE, [...LATE, 'SOURCE_LATE b']] as const),
  ],
  ['a late source just within the hour', { seenAt: noon(-HOUR_MS + 1), ...of(FAILED) }, AGAIN, FIVE, LATE],
  ['a late source after an hour', { seenAt: noon(-HOUR_MS), ...of(FAILED) }, OFFICER, null, LATE],
  [
    'a native source that is silent',
    of({ ...NATIVE, lastSuccessfulAt: noon(-DAY_MS) }),
    ...(['no_entitlement', null, []] as const),
  ],
  ['a native source that never imported', of({ ...NATIVE, ...NEVER }), 'no_entitlement', null, []],
  [
    'a native source that failed',
    of({ ...NATIVE, ...FAILED, lastSuccessfulAt: noon(-2 * MINUTE_MS) }),
    ...([AGAIN, MINUTE_MS, LATE] as const),
  ],
  ['a native source that only ever failed', of({ ...NATIVE, ...NEVER, ...FAILED }), AGAIN, FIVE, LATE],
];

describe('What lets a seen plate go', () => {
  it.each(STANDINGS)('%s', (_, rights, area, tolerance, expected) => {
    expect(standingOf(rights, area, NOON, tolerance)).toBe(expected);
  });

  it('or may soon: a plate with several titles, by one of them', () => {
    const titles = [aSubscription({ revokedAt: NOON }), aSubscription({ periods: [] })];
    expect(mayBeRenewed(titles, 'S1', NOON)).toBe(true);
  });

  it.each([
    ['a week ago', [-WEEK], true],
    ['earlier', [-WEEK - 1], false],
    ['just before', [-1], true],
    ['then', [0], false],
    ['earlier, and again just before', [-WEEK - 1, -1], true],
  ])('or may be paid: a payment of %s', (_, collected, expected) => {
    expect(mayBePaid(collected.map(noon), NOON)).toBe(expected);
  });

  it.each(RENEWALS)('or may soon: a title that %s', (_, deviation, expected) => {
    expect(mayBeRenewed([aSubscription(deviation)], 'S1', NOON)).toBe(expected);
  });
});

describe('A finding', () => {
  it.each(CASES)('%s', (_, deviation, finding, again, doubts, observationMinutes = 0) => {
    const found = conclude(sighting(deviation), { observationMinutes, overstayMinutes: 0 }, NOON);
    expect(found.finding).toBe(finding);
    expect(found.lookAgainAt).toBe(again === null ? null : noon(again));
    expect(
      found.doubts.map((doubt) =>
        [doubt.code, ...[doubt.sourceCode ?? doubt.area?.code ?? []].flat()].join(' '),
      ),
    ).toEqual(doubts);
  });
});
