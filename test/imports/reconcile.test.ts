import { describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { type Reconciled, type ReconcileRule, Reconciliation } from '../../src/intake/imports/reconcile.ts';
import { sessionRule, subscriptionRule } from '../../src/intake/imports/rules.ts';
import type { SessionRow } from '../../src/intake/imports/session-line.ts';
import type { SubscriptionRow } from '../../src/intake/imports/subscription-line.ts';

function reconcile<Row>(
  lines: readonly Row[],
  stored: ReadonlyMap<string, Row>,
  rule: ReconcileRule<Row>,
): Omit<Reconciled<Row>, 'count'> {
  const reconciliation = new Reconciliation(stored, rule, { dailyChanges: null, used: 0 });
  for (const line of lines) reconciliation.add(line);
  const { count: _, ...outcome } = reconciliation.outcome();
  return outcome;
}

const RULE = subscriptionRule(new Map());

/** A session that differs in its end alone: `row(2, 5)` ends at 2 and has revision 5. */
function row(endsAt: number | null, revision: number | null = null, sessionId = 's'): SessionRow {
  return {
    sessionId,
    areaId: 1,
    plate: storedPlate('AB123CD'),
    startsAt: instant(0),
    endsAt: endsAt === null ? null : instant(endsAt),
    cancelledAt: null,
    revision,
  };
}

interface Case {
  readonly name: string;
  readonly stored: SessionRow | null;
  readonly lines: readonly SessionRow[];
  /** The row to store; null where nothing is. */
  readonly stores: SessionRow | null;
  /** Created, updated, unchanged. */
  readonly counts: readonly [number, number, number];
}

const CASES: readonly Case[] = [
  { name: 'a new key', stored: null, lines: [row(1)], stores: row(1), counts: [1, 0, 0] },
  { name: 'the same again', stored: row(1), lines: [row(1)], stores: null, counts: [0, 0, 1] },
  { name: 'an extension', stored: row(1), lines: [row(2)], stores: row(2), counts: [0, 1, 0] },
  { name: 'a stop', stored: row(null), lines: [row(2)], stores: row(2), counts: [0, 1, 0] },
  { name: 'a stop taken back', stored: row(2), lines: [row(null)], stores: row(null), counts: [0, 1, 0] },
  { name: 'a higher revision', stored: row(1, 4), lines: [row(2, 5)], stores: row(2, 5), counts: [0, 1, 0] },
  {
    name: 'a higher revision that says the same',
    stored: row(1, 4),
    lines: [row(1, 5)],
    stores: row(1, 5),
    counts: [0, 1, 0],
  },
  { name: 'an equal revision', stored: row(1, 5), lines: [row(2, 5)], stores: row(2, 5), counts: [0, 1, 0] },
  { name: 'a lower revision', stored: row(1, 5), lines: [row(2, 4)], stores: null, counts: [0, 0, 1] },
  { name: 'a first revision', stored: row(1), lines: [row(1, 0)], stores: row(1, 0), counts: [0, 1, 0] },
  {
    name: 'a line without a revision, which leaves the row its own',
    stored: row(1, 5),
    lines: [row(2)],
    stores: row(2, 5),
    counts: [0, 1, 0],
  },
  {
    name: 'the same again without its revision',
    stored: row(1, 5),
    lines: [row(1)],
    stores: null,
    counts: [0, 0, 1],
  },
  {
    name: 'an old revision behind a line without one',
    stored: row(1, 5),
    lines: [row(2), row(3, 4)],
    stores: row(2, 5),
    counts: [0, 1, 1],
  },
  {
    name: 'a new key with an extension in one file',
    stored: null,
    lines: [row(1), row(2)],
    stores: row(2),
    counts: [1, 1, 0],
  },
  {
    name: 'a new key twice',
    stored: null,
    lines: [row(1), row(1)],
    stores: row(1),
    counts: [1, 0, 1],
  },
  {
    name: 'revisions out of order',
    stored: null,
    lines: [row(3, 3), row(1, 1), row(2, 2)],
    stores: row(3, 3),
    counts: [1, 0, 2],
  },
  {
    name: 'a file with an extension sent again',
    stored: row(2),
    lines: [row(1), row(2)],
    stores: null,
    counts: [0, 0, 2],
  },
  {
    name: 'a change that is not taken back',
    stored: row(2),
    lines: [row(1), row(2), row(3)],
    stores: row(3),
    counts: [0, 3, 0],
  },
];

describe('A line of a session', () => {
  it.each(CASES)('is new, a change, or nothing new: $name', ({ stored, lines, stores, counts }) => {
    const known = new Map(stored === null ? [] : [[stored.sessionId, stored]]);
    const { changed, created, updated, unchanged } = reconcile(lines, known, sessionRule);
    expect(changed).toEqual(stores === null ? [] : [stores]);
    expect([created, updated, unchanged]).toEqual(counts);
  });

  it.each([
    ['areaId', { areaId: 2 }],
    ['plate', { plate: storedPlate('XX') }],
    ['startsAt', { startsAt: instant(-1) }],
    ['endsAt', { endsAt: null }],
    ['cancelledAt', { cancelledAt: instant(1) }],
    ['revision', { revision: 1 }],
  ] as const)('changes its session through any of its fields: %s', (_field, deviation) => {
    const line = { ...row(1), ...deviation };
    const { changed } = reconcile([line], new Map([['s', row(1)]]), sessionRule);
    expect(changed).toEqual([line]);
  });

  it('leaves the sessions of other keys alone', () => {
    const stored = new Map([['a', row(1, null, 'a')]]);
    const lines = [row(2, null, 'b'), row(1, null, 'a'), row(2, null, 'b'), row(3, null, 'c')];
    expect(reconcile(lines, stored, sessionRule)).toEqual({
      changed: [row(2, null, 'b'), row(3, null, 'c')],
      created: 2,
      updated: 0,
      unchanged: 2,
    });
  });
});

describe('What the day has room for', () => {
  /** What each line may do, what is stored then, and what it counts of the day. */
  const within = (dailyChanges: number, stored: readonly SessionRow[], lines: readonly SessionRow[]) => {
    const known = new Map(stored.map((one) => [one.sessionId, one]));
    const reconciliation = new Reconciliation(known, sessionRule, { dailyChanges, used: 0 });
    const done = lines.map((line) => reconciliation.add(line) === null);
    const { changed, unchanged, count } = reconciliation.outcome();
    return { done, changed, unchanged, count: count.count };
  };
  const [one, two] = [row(1, null, 'a'), row(1, null, 'b')];

  it('is taken by new keys, and a key without room does nothing', () => {
    expect(within(1, [], [one, two])).toEqual({
      done: [true, false],
      changed: [one],
      unchanged: 0,
      count: 1,
    });
    expect(within(0, [], [one])).toEqual({ done: [false], changed: [], unchanged: 0, count: 0 });
  });

  it('is taken once by all the lines of a key', () => {
    const later = row(2, null, 'a');
    expect(within(1, [], [one, later])).toEqual({
      done: [true, true],
      changed: [later],
      unchanged: 0,
      count: 1,
    });
  });

  it('is not taken by a line that says what is stored, even where there is none', () => {
    expect(within(0, [one], [one])).toEqual({ done: [true], changed: [], unchanged: 1, count: 0 });
  });

  it('is given back by lines that leave the row as it was', () => {
    const lines = [row(2, null, 'a'), one, two];
    expect(within(1, [one], lines)).toEqual({
      done: [true, true, true],
      changed: [two],
      unchanged: 2,
      count: 1,
    });
  });

  it('is bound by what changed meanwhile, not by what was given back', () => {
    const reconciliation = new Reconciliation(new Map([['a', one]]), sessionRule, {
      dailyChanges: 5,
      used: 0,
    });
    for (const line of [row(2, null, 'a'), one]) reconciliation.add(line);
    expect(reconciliation.outcome().count).toEqual({ count: 0, maxBefore: 4 });
  });

  it('keeps a row as it was where a line has no room', () => {
    const later = row(2, null, 'b');
    const outcome = within(1, [two], [one, later, two]);
    expect(outcome).toEqual({ done: [true, false, true], changed: [one], unchanged: 1, count: 1 });
  });

  it('is twice as much for what ends something', () => {
    const stored = ['a', 'b', 'c'].map((id) => row(null, null, id));
    const ended = stored.map(({ sessionId }) => row(2, null, sessionId));
    expect(within(1, stored, ended)).toEqual({
      done: [true, true, false],
      changed: ended.slice(0, 2),
      unchanged: 0,
      count: 2,
    });
  });
});

const SUBSCRIPTION: SubscriptionRow = {
  subscriptionNumber: 'R-1',
  typeId: 1,
  approval: 'approved',
  authorizedFrom: null,
  authorizedUntil: null,
  suspendedFrom: null,
  suspendedUntil: null,
  revokedAt: null,
  revision: null,
  plates: [{ plate: storedPlate('A1'), validFrom: null, validUntil: null }],
  periods: [{ startsAt: instant(1), endsAt: instant(2) }],
  areas: [1],
};

describe('A line of a subscription', () => {
  it('that says what is stored changes nothing', () => {
    const { changed, unchanged } = reconcile(
      [structuredClone(SUBSCRIPTION)],
      new Map([['R-1', SUBSCRIPTION]]),
      RULE,
    );
    expect({ changed, unchanged }).toEqual({ changed: [], unchanged: 1 });
  });

  it.each([
    ['typeId', { typeId: 2 }],
    ['approval', { approval: 'pending' }],
    ['authorizedFrom', { authorizedFrom: instant(1) }],
    ['authorizedUntil', { authorizedUntil: instant(1) }],
    ['suspendedFrom', { suspendedFrom: instant(1) }],
    ['suspendedUntil', { suspendedUntil: instant(1) }],
    ['revokedAt', { revokedAt: instant(1) }],
    ['revision', { revision: 1 }],
    ['plates', { plates: [] }],
    ['a validity', { plates: [{ plate: storedPlate('A1'), validFrom: instant(1), validUntil: null }] }],
    ['periods', { periods: [{ startsAt: instant(1), endsAt: instant(3) }] }],
    ['areas', { areas: [1, 2] }],
    ['all areas', { areas: 'all' }],
  ] as const)('replaces it when it differs in anything: %s', (_field, deviation) => {
    const line: SubscriptionRow = { ...SUBSCRIPTION, ...deviation };
    const { changed, updated } = reconcile([line], new Map([['R-1', SUBSCRIPTION]]), RULE);
    expect({ changed, updated }).toEqual({ changed: [line], updated: 1 });
  });

  it('of a lower revision than the stored one changes nothing', () => {
    const stored = { ...SUBSCRIPTION, revision: 2 };
    const line: SubscriptionRow = { ...SUBSCRIPTION, revision: 1, approval: 'rejected' };
    const { changed, unchanged } = reconcile([line], new Map([['R-1', stored]]), RULE);
    expect({ changed, unchanged }).toEqual({ changed: [], unchanged: 1 });
  });

  it('without a revision replaces the stored one and leaves it its revision', () => {
    const stored = { ...SUBSCRIPTION, revision: 2 };
    const line: SubscriptionRow = { ...SUBSCRIPTION, approval: 'rejected' };
    const { changed } = reconcile([line], new Map([['R-1', stored]]), RULE);
    expect(changed).toEqual([{ ...line, revision: 2 }]);
  });
});
