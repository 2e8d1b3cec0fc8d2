import { describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { storedPlate } from '../../src/domain/plate.ts';
import { changeOfSession, changeOfSubscription } from '../../src/intake/imports/rules.ts';
import type { SessionRow } from '../../src/intake/imports/session-line.ts';
import type { SubscriptionRow } from '../../src/intake/imports/subscription-line.ts';

const at = (hour: number) => instant(hour * 3_600_000);
const CAR = storedPlate('AB123CD');
const OTHER = storedPlate('ZZ999ZZ');

const session = (changed: Partial<SessionRow> = {}): SessionRow => ({
  ...{ sessionId: 's', areaId: 1, plate: CAR, startsAt: at(10), endsAt: at(20) },
  ...{ cancelledAt: null, revision: null },
  ...changed,
});

type SessionCase = [name: string, before: Partial<SessionRow>, after: Partial<SessionRow>, isEnding: boolean];

describe('A change of a session', () => {
  it.each<SessionCase>([
    ['that cancels it ends it', {}, { cancelledAt: at(12) }, true],
    ['that cancels it ends it, whatever else it says', {}, { cancelledAt: at(12), areaId: 2 }, true],
    [
      'that cancels it ends it, though an extension was missed',
      {},
      { cancelledAt: at(12), endsAt: at(25) },
      true,
    ],
    ['that cancels it later than it ended does not', {}, { cancelledAt: at(90), endsAt: at(99) }, false],
    ['that cancels it later than it ended, with its end, ends it', {}, { cancelledAt: at(90) }, true],
    ['that cancels it and names another plate does not', {}, { cancelledAt: at(12), plate: OTHER }, false],
    ['that stops it ends it', { endsAt: null }, { endsAt: at(20) }, true],
    ['that stops it with a higher revision ends it', { endsAt: null }, { revision: 5 }, true],
    ['that stops it and names another plate does not', { endsAt: null }, { plate: OTHER }, false],
    [
      'that stops it and takes a cancellation back does not',
      { endsAt: null, cancelledAt: at(12) },
      {},
      false,
    ],
    ['by an earlier end shortens it', {}, { endsAt: instant(at(20) - 1) }, true],
    ['by a later end does not', {}, { endsAt: instant(at(20) + 1) }, false],
    ['without an end does not', {}, { endsAt: null }, false],
    ['by an earlier end in another area does not', {}, { endsAt: at(12), areaId: 2 }, false],
    ['by an earlier end of another plate does not', {}, { endsAt: at(12), plate: OTHER }, false],
    ['by an earlier end and start does not', {}, { endsAt: at(12), startsAt: at(9) }, false],
    ['by an earlier end and a later start shortens it', {}, { endsAt: at(19), startsAt: at(11) }, true],
    ['by a later start alone does not', {}, { startsAt: at(11) }, false],
    ['by an earlier cancellation shortens it', { cancelledAt: at(12) }, { cancelledAt: at(11) }, true],
    ['by a later cancellation does not', { cancelledAt: at(12) }, { cancelledAt: at(13) }, false],
    ['that takes a cancellation back does not', { cancelledAt: at(12) }, {}, false],
    ['by its revision alone does not', {}, { revision: 5 }, false],
  ])('%s', (_, before, after, isEnding) => {
    expect(changeOfSession(session(before), session(after))).toEqual({ cost: 1, isEnding });
  });

  it('that is new counts one, cancelled or not', () => {
    expect(changeOfSession(null, session({ cancelledAt: at(12) }))).toEqual({ cost: 1, isEnding: false });
  });
});

const on = (plate: typeof CAR, until: number | null = null) => ({
  ...{ plate, validFrom: null, validUntil: until === null ? null : at(until) },
});
const paid = (from: number, until: number) => ({ startsAt: at(from), endsAt: at(until), paidBy: null });
const manyPeriods = (count: number) => Array.from({ length: count }, (_, index) => paid(index, index + 1));
const subscription = (changed: Partial<SubscriptionRow> = {}): SubscriptionRow => ({
  ...{
    subscriptionNumber: 'R',
    typeId: 1,
    approval: 'approved',
    authorizedFrom: null,
    authorizedUntil: at(50),
  },
  ...{ suspendedFrom: null, suspendedUntil: null, revokedAt: null, revision: null },
  ...{ plates: [on(CAR, 40)], periods: [paid(10, 20)], withdrawn: [], areas: [1] },
  ...changed,
});

/** Codes of one byte, and one of the longest: 80 characters of three bytes. */
const AREA_BYTES = new Map([
  [1, 1],
  [900, 240],
]);
type Plates = SubscriptionRow['plates'];
const changeOf = (before: Partial<SubscriptionRow> | null, after: Partial<SubscriptionRow>) =>
  changeOfSubscription(before && subscription(before), subscription(after), AREA_BYTES);

type SubscriptionCase = [
  name: string,
  before: Partial<SubscriptionRow>,
  after: Partial<SubscriptionRow>,
  isEnding: boolean,
];

describe('A change of a subscription', () => {
  it.each<SubscriptionCase>([
    ['that revokes it ends it', {}, { revokedAt: at(15) }, true],
    ['that revokes it without its lists ends it', {}, { revokedAt: at(15), plates: [], periods: [] }, true],
    ['that revokes it with another plate does not', {}, { revokedAt: at(15), plates: [on(OTHER)] }, false],
    [
      'that revokes it with one more plate does not',
      {},
      { revokedAt: at(15), plates: [on(CAR), on(OTHER)] },
      false,
    ],
    ['that revokes it ends it, whatever else it says', {}, { revokedAt: at(15), areas: [1, 2] }, true],
    [
      'that revokes it later than it ends does not end it where it ends later, too',
      {},
      { revokedAt: at(70), authorizedUntil: at(90) },
      false,
    ],
    [
      'that revokes it later than its last period ends does not with one period more',
      {},
      { revokedAt: at(35), periods: [paid(10, 20), paid(30, 40)] },
      false,
    ],
    ['that revokes it later than it ends does as it was', {}, { revokedAt: at(90) }, true],
    ['that revokes it ahead does not approve it', { approval: 'pending' }, { revokedAt: at(15) }, false],
    [
      'that revokes a pending one ends it',
      { approval: 'pending' },
      { approval: 'pending', revokedAt: at(15) },
      true,
    ],
    ['by a first end ends it', { authorizedUntil: null }, {}, true],
    ['by a first end of a rejected one does not', { authorizedUntil: null }, { approval: 'rejected' }, false],
    ['by an earlier end shortens it', {}, { authorizedUntil: at(49) }, true],
    ['by a later end does not', {}, { authorizedUntil: at(51) }, false],
    ['by an earlier revocation shortens it', { revokedAt: at(15) }, { revokedAt: at(14) }, true],
    ['that takes a revocation back does not', { revokedAt: at(15) }, {}, false],
    ['by an earlier end of a plate shortens it', {}, { plates: [on(CAR, 39)] }, true],
    ['by a later end of a plate does not', {}, { plates: [on(CAR, 41)] }, false],
    ['by a first end of a plate shortens it', { plates: [on(CAR)] }, {}, true],
    ['by another plate does not', {}, { plates: [on(OTHER, 39)] }, false],
    ['by an earlier end of a period shortens it', {}, { periods: [paid(10, 19)] }, true],
    [
      'by an earlier end of one and a later of another does not',
      {},
      { periods: [paid(10, 21)], authorizedUntil: at(49) },
      false,
    ],
    [
      'by one period more does not',
      {},
      { periods: [paid(10, 20), paid(30, 31)], authorizedUntil: at(49) },
      false,
    ],
    ['by an earlier end in other areas does not', {}, { authorizedUntil: at(49), areas: 'all' }, false],
  ])('%s', (_, before, after, isEnding) => {
    expect(changeOf(before, after).isEnding).toBe(isEnding);
  });

  it.each<[name: string, before: Plates | null, after: Plates, cost: number]>([
    ['one, where it is new and has no plates', null, [], 1],
    ['one more for each plate that is new', null, [on(CAR, 1), on(OTHER)], 3],
    ['a plate with several entries once', null, [on(CAR, 1), on(CAR, 2)], 2],
    ['no plate that stays as it is', [on(CAR), on(OTHER)], [on(OTHER), on(CAR)], 1],
    ['a plate that comes', [on(CAR)], [on(CAR), on(OTHER)], 2],
    ['a plate that changes', [on(CAR, 1), on(OTHER)], [on(CAR, 2), on(OTHER)], 2],
    ['a plate that goes', [on(CAR), on(OTHER)], [on(CAR)], 2],
    ['a plate that goes and one that comes', [on(CAR)], [on(OTHER)], 3],
  ])('counts %s', (_, before, after, cost) => {
    expect(changeOf(before && { plates: before }, { plates: after }).cost).toBe(cost);
  });

  it.each<[name: string, after: Partial<SubscriptionRow>, cost: number]>([
    ['ten periods and ten areas', { periods: manyPeriods(10), areas: Array(10).fill(1) }, 1],
    ['five hundred periods', { periods: manyPeriods(500) }, 1 + 33],
    ['two areas with long codes', { areas: [900, 900] }, 1],
    ['three', { areas: [900, 900, 900] }, 2],
    ['a number of two hundred characters', { subscriptionNumber: '京'.repeat(200) }, 3],
  ])('counts %s', (_, after, cost) => {
    expect(changeOf({}, after).cost).toBe(cost);
  });
});
