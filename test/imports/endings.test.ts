import { describe, expect, it } from 'vitest';
import type { Ending } from '../../src/domain/daily-changes.ts';
import { instant } from '../../src/domain/instant.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { changeOfSession, changeOfSubscription } from '../../src/imports/endings.ts';
import type { SessionRow } from '../../src/imports/session-line.ts';
import type { SubscriptionRow } from '../../src/imports/subscription-line.ts';

const at = (hour: number) => instant(hour * 3_600_000);
const CAR = storedPlate('AB123CD');
const OTHER = storedPlate('ZZ999ZZ');

const session = (changed: Partial<SessionRow> = {}): SessionRow => ({
  ...{ sessionId: 's', areaId: 1, plate: CAR, startsAt: at(10), endsAt: at(20) },
  ...{ cancelledAt: null, revision: null },
  ...changed,
});

type SessionCase = [name: string, before: Partial<SessionRow>, after: Partial<SessionRow>, ending: Ending];

describe('A change of a session', () => {
  it.each<SessionCase>([
    ['that cancels it ends it', {}, { cancelledAt: at(12) }, 'ends'],
    ['that cancels it ends it, whatever else it says', {}, { cancelledAt: at(12), areaId: 2 }, 'ends'],
    ['that cancels it and names another plate does not', {}, { cancelledAt: at(12), plate: OTHER }, 'none'],
    ['that stops it ends it', { endsAt: null }, { endsAt: at(20) }, 'ends'],
    ['that stops it with a higher revision ends it', { endsAt: null }, { revision: 5 }, 'ends'],
    ['that stops it and names another plate does not', { endsAt: null }, { plate: OTHER }, 'none'],
    [
      'that stops it and takes a cancellation back does not',
      { endsAt: null, cancelledAt: at(12) },
      {},
      'none',
    ],
    ['by an earlier end shortens it', {}, { endsAt: instant(at(20) - 1) }, 'shortens'],
    ['by a later end does not', {}, { endsAt: instant(at(20) + 1) }, 'none'],
    ['without an end does not', {}, { endsAt: null }, 'none'],
    ['by an earlier end in another area does not', {}, { endsAt: at(12), areaId: 2 }, 'none'],
    ['by an earlier end of another plate does not', {}, { endsAt: at(12), plate: OTHER }, 'none'],
    ['by an earlier end and start does not', {}, { endsAt: at(12), startsAt: at(9) }, 'none'],
    ['by an earlier end and a later start shortens it', {}, { endsAt: at(19), startsAt: at(11) }, 'shortens'],
    ['by a later start alone does not', {}, { startsAt: at(11) }, 'none'],
    ['by an earlier cancellation shortens it', { cancelledAt: at(12) }, { cancelledAt: at(11) }, 'shortens'],
    ['by a later cancellation does not', { cancelledAt: at(12) }, { cancelledAt: at(13) }, 'none'],
    ['that takes a cancellation back does not', { cancelledAt: at(12) }, {}, 'none'],
    ['by its revision alone does not', {}, { revision: 5 }, 'none'],
  ])('%s', (_, before, after, ending) => {
    expect(changeOfSession(session(before), session(after))).toEqual({ cost: 1, ending });
  });

  it('that is new counts one, cancelled or not', () => {
    expect(changeOfSession(null, session({ cancelledAt: at(12) }))).toEqual({ cost: 1, ending: 'none' });
  });
});

const on = (plate: typeof CAR, until: number | null = null) => ({
  ...{ plate, validFrom: null, validUntil: until === null ? null : at(until) },
});
const paid = (from: number, until: number) => ({ startsAt: at(from), endsAt: at(until) });
const subscription = (changed: Partial<SubscriptionRow> = {}): SubscriptionRow => ({
  ...{
    subscriptionNumber: 'R',
    typeId: 1,
    approval: 'approved',
    authorizedFrom: null,
    authorizedUntil: at(50),
  },
  ...{ suspendedFrom: null, suspendedUntil: null, revokedAt: null, revision: null },
  ...{ plates: [on(CAR, 40)], periods: [paid(10, 20)], areas: [1] },
  ...changed,
});

/** Codes of one byte, and one of the longest: 80 characters of three bytes. */
const CODES = {
  types: new Map([[1, 1]]),
  areas: new Map([
    [1, 1],
    [900, 240],
  ]),
};
const changeOf = (before: Partial<SubscriptionRow> | null, after: Partial<SubscriptionRow>) =>
  changeOfSubscription(before && subscription(before), subscription(after), CODES);

type SubscriptionCase = [
  name: string,
  before: Partial<SubscriptionRow>,
  after: Partial<SubscriptionRow>,
  ending: Ending,
];

describe('A change of a subscription', () => {
  it.each<SubscriptionCase>([
    ['that revokes it ends it', {}, { revokedAt: at(15) }, 'ends'],
    ['that revokes it without its lists ends it', {}, { revokedAt: at(15), plates: [], periods: [] }, 'ends'],
    ['that revokes it with another plate does not', {}, { revokedAt: at(15), plates: [on(OTHER)] }, 'none'],
    [
      'that revokes it with one more plate does not',
      {},
      { revokedAt: at(15), plates: [on(CAR), on(OTHER)] },
      'none',
    ],
    [
      'that revokes it with one more period does not',
      {},
      { revokedAt: at(15), periods: [paid(1, 2), paid(3, 4)] },
      'none',
    ],
    ['that revokes it with one more area does not', {}, { revokedAt: at(15), areas: [1, 2] }, 'none'],
    ['by a first end ends it', { authorizedUntil: null }, {}, 'ends'],
    [
      'by a first end of a rejected one does not',
      { authorizedUntil: null },
      { approval: 'rejected' },
      'none',
    ],
    ['by an earlier end shortens it', {}, { authorizedUntil: at(49) }, 'shortens'],
    ['by a later end does not', {}, { authorizedUntil: at(51) }, 'none'],
    ['by an earlier revocation shortens it', { revokedAt: at(15) }, { revokedAt: at(14) }, 'shortens'],
    ['that takes a revocation back does not', { revokedAt: at(15) }, {}, 'none'],
    ['by an earlier end of a plate shortens it', {}, { plates: [on(CAR, 39)] }, 'shortens'],
    ['by a later end of a plate does not', {}, { plates: [on(CAR, 41)] }, 'none'],
    ['by a first end of a plate shortens it', { plates: [on(CAR)] }, {}, 'shortens'],
    ['by another plate does not', {}, { plates: [on(OTHER, 39)] }, 'none'],
    ['by an earlier end of a period shortens it', {}, { periods: [paid(10, 19)] }, 'shortens'],
    [
      'by an earlier end of one and a later of another does not',
      {},
      { periods: [paid(10, 21)], authorizedUntil: at(49) },
      'none',
    ],
    [
      'by one period more does not',
      {},
      { periods: [paid(10, 20), paid(30, 31)], authorizedUntil: at(49) },
      'none',
    ],
    ['by an earlier end in other areas does not', {}, { authorizedUntil: at(49), areas: 'all' }, 'none'],
  ])('%s', (_, before, after, ending) => {
    expect(changeOf(before, after).ending).toBe(ending);
  });

  it.each([
    ['one without plates', [], 1],
    ['each entry of its plates', [on(CAR, 1), on(CAR, 2), on(OTHER)], 3],
  ])('counts %s', (_, plates, cost) => {
    expect(changeOf(null, { plates })).toEqual({ cost, ending: 'none' });
  });

  /** So many plates, periods and areas. */
  const fleet = (plates: number, periods: number, areas: number) => ({
    plates: Array.from({ length: plates }, () => on(CAR)),
    periods: Array.from({ length: periods }, (_, index) => paid(index, index + 1)),
    areas: Array.from({ length: areas }, (_, index) => index),
  });

  it.each([
    [1, 10, 10, 1],
    [200, 10, 10, 200],
    [500, 10, 10, 500],
    [1, 0, 25, 1],
    [1, 0, 26, 2],
    [0, 500, 0, 20],
    [1, 500, 500, 42],
    // Each plate's row of the journal repeats them.
    [40, 125, 125, 413],
  ])('counts, of %i plates, %i periods and %i areas, %i', (plates, periods, areas, cost) => {
    expect(changeOf(null, fleet(plates, periods, areas))).toEqual({ cost, ending: 'none' });
  });

  it('counts what a long key and long codes take in addition to each plate', () => {
    const { plates } = fleet(100, 0, 0);
    expect(changeOf(null, { plates, areas: [900] }).cost).toBe(100);
    expect(changeOf(null, { plates, areas: [900, 900] }).cost).toBe(130);
    expect(changeOf(null, { plates, subscriptionNumber: '京'.repeat(200) }).cost).toBe(459);
  });

  it('that revokes it with longer codes does not end it', () => {
    const { plates } = fleet(100, 0, 0);
    const areas = { before: [1, 1], after: [900, 900] };
    expect(
      changeOf({ plates, areas: areas.before }, { plates, areas: areas.after, revokedAt: at(15) }),
    ).toEqual({
      cost: 130,
      ending: 'none',
    });
  });
});
