import { describe, expect, it } from 'vitest';
import { LINE_TEXTS, type Reading } from '../../src/intake/imports/rejection.ts';
import { readSessionLine } from '../../src/intake/imports/session-line.ts';
import { readSubscriptionLine } from '../../src/intake/imports/subscription-line.ts';
import { aSessionLine, aSubscriptionLine } from './support.ts';

const AREAS = new Map([
  ['S1', 1],
  ['P1', 2],
]);
const CODES = { types: new Map([['RES', 1]]), areas: AREAS };

const session = (deviation: Record<string, unknown>) => readSessionLine(aSessionLine(deviation), AREAS);
const subscription = (deviation: Record<string, unknown>) =>
  readSubscriptionLine(aSubscriptionLine(deviation), CODES);

function rowOf<Row>(reading: Reading<Row>): Row {
  if (reading.rejection) throw new Error(reading.rejection.message().en);
  return reading.row;
}

/** `CODE: english message` of a rejection. */
const rejectionOf = ({ rejection }: Reading<unknown>) =>
  rejection && `${rejection.code} ${rejection.message().en}`;

const NOON = Date.UTC(2026, 2, 10, 11);
const UNPRINTABLE =
  'INVALID_REQUEST session_id: must not have control characters, nor any that turn the direction of text';
const NO_INSTANT =
  'must be an ISO 8601 instant with date, time and offset, such as 2026-03-07T17:44:12+01:00';

describe('A line of a session', () => {
  it('becomes a row with a normalized plate, instants and the id of its area', () => {
    expect(rowOf(session({ plate: ' ab-123 cd ', revision: 3, session_id: '  s 1 ' }))).toEqual({
      key: 's 1',
      areaId: 1,
      plate: 'AB123CD',
      startsAt: NOON,
      endsAt: NOON + 3_600_000,
      cancelledAt: null,
      revision: 3,
    });
  });

  it.each(['ends_at', 'cancelled_at', 'revision'])(
    'may leave out %s or send null, which mean the same',
    (field) => {
      const absent = aSessionLine();
      delete absent[field];
      expect(rowOf(readSessionLine(absent, AREAS))).toEqual(rowOf(session({ [field]: null })));
    },
  );

  it.each([
    ['session_id', { session_id: 'x' }],
    ['session_id', { session_id: 'x'.repeat(200) }],
    ['session_id', { session_id: 'Σ-§-🚗' }],
    ['starts_at', { starts_at: '2026-03-10T11:00Z' }],
    ['starts_at', { starts_at: ' 2026-03-10T12:00:00.250+01:00 ' }],
    ['ends_at', { ends_at: '2026-03-10T12:00:00+01:00' }],
    ['cancelled_at', { cancelled_at: '2020-01-01T00:00:00Z' }],
    ['revision', { revision: 0 }],
    ['revision', { revision: Number.MAX_SAFE_INTEGER }],
    ['area_code', { area_code: ' P1 ' }],
    ['plate', { plate: '京' }],
  ])('is taken with %s at the edge: %j', (_field, deviation) => {
    expect(rejectionOf(session(deviation))).toBeUndefined();
  });

  it.each([
    [{ session_id: undefined }, 'INVALID_REQUEST session_id: is required'],
    [{ session_id: null }, 'INVALID_REQUEST session_id: must be a text'],
    [{ session_id: 7 }, 'INVALID_REQUEST session_id: must be a text'],
    [{ session_id: '  ' }, 'INVALID_REQUEST session_id: must have at least 1 character'],
    [{ session_id: 'x'.repeat(201) }, 'INVALID_REQUEST session_id: must have at most 200 characters'],
    [{ session_id: 'a\u0000b' }, UNPRINTABLE],
    [{ session_id: 'a\ud800b' }, UNPRINTABLE],
    [{ session_id: 'a\u202eb' }, UNPRINTABLE],
    [{ revision: -1 }, 'INVALID_REQUEST revision: must be at least 0'],
    [{ plate: undefined }, 'INVALID_REQUEST plate: is required'],
    [{ plate: 7 }, 'INVALID_REQUEST plate: must be a text'],
    [{ plate: ' ' }, 'INVALID_PLATE plate: it is blank, too long, or has a character that no plate can have'],
    [
      { plate: 'A'.repeat(16) },
      'INVALID_PLATE plate: it is blank, too long, or has a character that no plate can have',
    ],
    [
      { plate: 'ß1' },
      'INVALID_PLATE plate: it is blank, too long, or has a character that no plate can have',
    ],
    [{ area_code: undefined }, 'INVALID_REQUEST area_code: is required'],
    [{ area_code: null }, 'INVALID_REQUEST area_code: must be a text'],
    [{ area_code: '' }, 'INVALID_REQUEST area_code: must have at least 1 character'],
    [{ area_code: 's1' }, 'AREA_NOT_FOUND area_code: the municipality has no area with this code'],
    [
      { plate: ' ', area_code: 's1' },
      `INVALID_PLATE plate: ${LINE_TEXTS.INVALID_PLATE.en}; area_code: ${LINE_TEXTS.AREA_NOT_FOUND.en}`,
    ],
    [{ starts_at: undefined }, 'INVALID_REQUEST starts_at: is required'],
    [{ starts_at: '2026-03-10' }, `INVALID_REQUEST starts_at: ${NO_INSTANT}`],
    [{ starts_at: '2026-03-10T12:00:00' }, `INVALID_REQUEST starts_at: ${NO_INSTANT}`],
    [{ starts_at: '2026-02-30T12:00:00Z' }, `INVALID_REQUEST starts_at: ${NO_INSTANT}`],
    [{ starts_at: NOON }, 'INVALID_REQUEST starts_at: must be a text'],
    [{ ends_at: '' }, `INVALID_REQUEST ends_at: ${NO_INSTANT}`],
    [
      { ends_at: '2026-03-10T11:59:59.999+01:00' },
      'INVALID_REQUEST ends_at: must not be earlier than starts_at',
    ],
    [{ ends_at: '2026-03-10T12:59:00+02:00' }, 'INVALID_REQUEST ends_at: must not be earlier than starts_at'],
    [{ cancelled_at: 'yes' }, `INVALID_REQUEST cancelled_at: ${NO_INSTANT}`],
    [{ revision: '1' }, 'INVALID_REQUEST revision: must be a number'],
    [{ revision: 1.5 }, 'INVALID_REQUEST revision: must be a whole number'],
    [{ colour: 'red' }, 'INVALID_REQUEST colour: is not a known property'],
    [
      { session_id: 1, plate: 1, area_code: 1, revision: '' },
      'INVALID_REQUEST session_id: must be a text; plate: must be a text; area_code: must be a text; revision: must be a number',
    ],
    [
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`x${index}`, 1])),
      `INVALID_REQUEST ${Array.from({ length: 10 }, (_, index) => `x${index}: is not a known property`).join('; ')}`,
    ],
  ])('is refused with what is wrong: %j', (deviation, rejection) => {
    expect(rejectionOf(session(deviation))).toBe(rejection);
  });

  it.each(['__proto__', 'constructor', 'toString'])('is refused with the property %s', (name) => {
    const line: unknown = JSON.parse(`{${JSON.stringify(name)}:1,${JSON.stringify(aSessionLine()).slice(1)}`);
    expect(rejectionOf(readSessionLine(line, AREAS))).toBe(
      `INVALID_REQUEST ${name}: is not a known property`,
    );
  });

  it('is refused without its text repeating a token or a long name', () => {
    const token = `pev_at_${'a'.repeat(24)}_${'b'.repeat(64)}_${'c'.repeat(32)}`;
    expect(rejectionOf(session({ [token]: 1 }))).toBe('INVALID_REQUEST pev_***: is not a known property');
    expect(rejectionOf(session({ ['x'.repeat(1000)]: 1 }))).toBe(
      `INVALID_REQUEST ${'x'.repeat(100)}: is not a known property`,
    );
  });
});

const period = (from: number, until: number) => ({
  starts_at: new Date(from).toISOString(),
  ends_at: new Date(until).toISOString(),
});
const plates = (count: number) => Array.from({ length: count }, (_, index) => ({ plate: `A${index}` }));
const periods = (count: number) =>
  Array.from({ length: count }, (_, index) => period(index * 1000, index * 1000 + 1000));

describe('A line of a subscription', () => {
  it('becomes a row with lists in order, each thing once', () => {
    const row = rowOf(
      subscription({
        plates: [
          { plate: 'zz 1', valid_from: '1970-01-01T00:00:02Z' },
          { plate: 'ZZ1', valid_until: '1970-01-01T00:00:01Z' },
          { plate: 'aa1' },
          { plate: 'A A 1', valid_from: null, valid_until: null },
        ],
        areas: ['P1', 'S1', ' P1'],
        periods: [period(3000, 4000), period(1000, 3000)],
        authorized_from: '1970-01-01T00:00:00Z',
      }),
    );
    expect(row).toEqual({
      key: 'R-1',
      typeId: 1,
      approval: 'approved',
      authorizedFrom: 0,
      authorizedUntil: null,
      suspendedFrom: null,
      suspendedUntil: null,
      revokedAt: null,
      revision: null,
      plates: [
        ['ZZ1', 2000, null],
        ['ZZ1', null, 1000],
        ['AA1', null, null],
      ],
      periods: [
        [1000, 3000],
        [3000, 4000],
      ],
      areas: ['P1', 'S1'],
    });
  });

  it.each(['authorized_from', 'authorized_until', 'suspended_from', 'suspended_until', 'revoked_at'])(
    'may leave out %s or send null, which mean the same',
    (field) => {
      expect(rowOf(subscription({ [field]: null }))).toEqual(rowOf(subscription({})));
    },
  );

  it.each([
    { plates: [] },
    { plates: plates(500), periods: periods(500), areas: Array(500).fill('S1') },
    { plates: [{ plate: 'A1' }, { plate: 'A1', valid_from: '1970-01-01T00:00:00Z' }] },
    { periods: [] },
    { areas: 'all' },
    { areas: Array(500).fill('S1') },
    { suspended_from: '1970-01-01T00:00:00Z' },
    { authorized_until: '1970-01-01T00:00:00Z' },
    { approval: 'rejected' },
    { subscription_number: 'x'.repeat(200) },
  ])('is taken at the edge: %j', (deviation) => {
    expect(rejectionOf(subscription(deviation))).toBeUndefined();
  });

  it.each([
    [{ subscription_number: undefined }, 'INVALID_REQUEST subscription_number: is required'],
    [
      { subscription_number: 'x'.repeat(201) },
      'INVALID_REQUEST subscription_number: must have at most 200 characters',
    ],
    [{ type: undefined }, 'INVALID_REQUEST type: is required'],
    [
      { type: 'res' },
      'SUBSCRIPTION_TYPE_NOT_FOUND type: the municipality has no subscription type with this code',
    ],
    [{ approval: undefined }, 'INVALID_REQUEST approval: must be one of: approved, pending, rejected'],
    [{ approval: 'maybe' }, 'INVALID_REQUEST approval: must be one of: approved, pending, rejected'],
    [{ plates: undefined }, 'INVALID_REQUEST plates: is required'],
    [{ plates: 'AB123CD' }, 'INVALID_REQUEST plates: must be a list'],
    [{ plates: plates(501) }, 'INVALID_REQUEST plates: must have at most 500 items'],
    [{ plates: ['AB123CD'] }, 'INVALID_REQUEST plates.0: must be an object'],
    [{ plates: [{ plate: 'A1', owner: 'me' }] }, 'INVALID_REQUEST plates.0.owner: is not a known property'],
    [
      { plates: [{ plate: 'A1' }, { plate: '--' }] },
      'INVALID_PLATE plates.1.plate: it is blank, too long, or has a character that no plate can have',
    ],
    [
      { plates: [{ plate: 'A1', valid_from: '1970-01-01T00:00Z', valid_until: '1970-01-01T00:00Z' }] },
      'INVALID_REQUEST plates.0.valid_until: must be later than valid_from',
    ],
    [{ areas: undefined }, 'INVALID_REQUEST areas: is not of a valid form'],
    [{ areas: 'some' }, 'INVALID_REQUEST areas: is not of a valid form'],
    [{ areas: [] }, 'INVALID_REQUEST areas: must have at least 1 item'],
    [{ areas: Array(501).fill('S1') }, 'INVALID_REQUEST areas: must have at most 500 items'],
    [{ areas: ['S1', 'S9'] }, 'AREA_NOT_FOUND areas.1: the municipality has no area with this code'],
    [
      { type: 'NONE', areas: ['S8', 'S1', 'S9'] },
      `SUBSCRIPTION_TYPE_NOT_FOUND type: ${LINE_TEXTS.SUBSCRIPTION_TYPE_NOT_FOUND.en}; areas.0: ${LINE_TEXTS.AREA_NOT_FOUND.en}; areas.2: ${LINE_TEXTS.AREA_NOT_FOUND.en}`,
    ],
    [{ periods: undefined }, 'INVALID_REQUEST periods: is required'],
    [{ periods: periods(501) }, 'INVALID_REQUEST periods: must have at most 500 items'],
    [{ periods: [period(1000, 1000)] }, 'INVALID_REQUEST periods.0.ends_at: must be later than starts_at'],
    [{ periods: [period(0, 1001), period(1000, 2000)] }, 'INVALID_REQUEST periods: must not overlap'],
    [{ periods: [period(5000, 6000), period(0, 5001)] }, 'INVALID_REQUEST periods: must not overlap'],
    [{ periods: [period(0, 9000), period(1000, 2000)] }, 'INVALID_REQUEST periods: must not overlap'],
    [{ periods: [period(0, 1000), period(0, 1000)] }, 'INVALID_REQUEST periods: must not overlap'],
    [
      { authorized_from: '1970-01-01T00:00Z', authorized_until: '1970-01-01T00:00Z' },
      'INVALID_REQUEST authorized_until: must be later than authorized_from',
    ],
    [
      { suspended_from: '1970-01-01T00:00Z', suspended_until: '1970-01-01T00:00Z' },
      'INVALID_REQUEST suspended_until: must be later than suspended_from',
    ],
    [
      { suspended_until: '1970-01-01T00:00Z' },
      'INVALID_REQUEST suspended_until: requires suspended_from as well',
    ],
    [{ revoked_at: true }, 'INVALID_REQUEST revoked_at: must be a text'],
    [{ holder: 'Rossi' }, 'INVALID_REQUEST holder: is not a known property'],
  ])('is refused with what is wrong: %j', (deviation, rejection) => {
    expect(rejectionOf(subscription(deviation))).toBe(rejection);
  });
});
