import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  errorsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
} from './support.ts';

const city = new City({
  ...CITY,
  areas: [...CITY.areas, { ...CITY.areas[0], id: 7, code: '1' }],
});
const KINDS = {
  session: { path: SESSIONS, line: aSessionLine },
  subscription: { path: SUBSCRIPTIONS, line: aSubscriptionLine },
} as const;
type KindName = keyof typeof KINDS;
type Deviation = Record<string, unknown>;

/** Imports lines of which each deviates from a good one; texts are sent as they are. */
function importAll(kind: KindName, deviations: readonly (Deviation | string)[]) {
  const { path, line } = KINDS[kind];
  const lines = deviations.map((one) => (typeof one === 'string' ? one : line(one)));
  return send(city.service, path, file(lines), city.headers);
}

async function expectRejected(kind: KindName, cases: readonly (readonly [Deviation | string, string])[]) {
  const answer = await importAll(
    kind,
    cases.map(([deviation]) => deviation),
  );
  const told = new Map(errorsOf(answer).map(({ line, code, message }) => [line, `${code} ${message}`]));
  expect(cases.map(([deviation], index) => [deviation, told.get(index + 1)])).toEqual(cases);
}

async function expectTaken(kind: KindName, deviations: readonly (Deviation | string)[]) {
  const answer = await importAll(kind, deviations);
  expect(errorsOf(answer)).toEqual([]);
  expect(countsOf(answer)).toMatchObject({ received: deviations.length });
}

const UNPRINTABLE = 'must not have control characters, nor any that turn the direction of text';
const NO_INSTANT =
  'must be an ISO 8601 instant with date, time and offset, such as 2026-03-07T17:44:12+01:00';
const NO_PLATE = 'it is blank, too long, or has a character that no plate can have';
const NO_AREA = 'the municipality has no area with this code';
const NO_TYPE = 'the municipality has no subscription type with this code';
const unknownProperties = (count: number) =>
  Array.from({ length: count }, (_, index) => `x${index}: is not a known property`);
const TOKEN = `pev_at_${'a'.repeat(24)}_${'b'.repeat(64)}_${'c'.repeat(32)}`;

describe('A line of a session', () => {
  it('is taken at the edges of its fields', () =>
    expectTaken('session', [
      { session_id: 'x' },
      { session_id: 'x'.repeat(200) },
      { session_id: 'Σ-§-🚗' },
      { starts_at: '2026-03-10T11:00Z' },
      { starts_at: ' 2026-03-10T12:00:00.250+01:00 ' },
      { ends_at: '2026-03-10T12:00:00+01:00' },
      { ends_at: null, cancelled_at: null, revision: null },
      { cancelled_at: '2020-01-01T00:00:00Z' },
      { revision: 0 },
      { revision: Number.MAX_SAFE_INTEGER },
      { area_code: ' P1 ' },
      { plate: '京' },
    ]));

  it('is rejected with what is wrong', () =>
    expectRejected('session', [
      [{ session_id: undefined }, 'INVALID_REQUEST session_id: is required'],
      [{ session_id: null }, 'INVALID_REQUEST session_id: must be a text'],
      [{ session_id: '  ' }, 'INVALID_REQUEST session_id: must have at least 1 character'],
      [{ session_id: 'x'.repeat(201) }, 'INVALID_REQUEST session_id: must have at most 200 characters'],
      [{ session_id: 'a\u0000b' }, `INVALID_REQUEST session_id: ${UNPRINTABLE}`],
      [{ session_id: 'a\ud800b' }, `INVALID_REQUEST session_id: ${UNPRINTABLE}`],
      [{ session_id: 'a\u202eb' }, `INVALID_REQUEST session_id: ${UNPRINTABLE}`],
      [{ plate: undefined }, 'INVALID_REQUEST plate: is required'],
      [{ plate: ' ' }, `INVALID_PLATE plate: ${NO_PLATE}`],
      [{ area_code: undefined }, 'INVALID_REQUEST area_code: is required'],
      [{ area_code: '' }, 'INVALID_REQUEST area_code: must have at least 1 character'],
      [{ area_code: 's1' }, `AREA_NOT_FOUND area_code: ${NO_AREA}`],
      [{ plate: ' ', area_code: 's1' }, `INVALID_PLATE plate: ${NO_PLATE}; area_code: ${NO_AREA}`],
      [{ starts_at: undefined }, 'INVALID_REQUEST starts_at: is required'],
      [{ starts_at: '2026-03-10T12:00:00' }, `INVALID_REQUEST starts_at: ${NO_INSTANT}`],
      [{ starts_at: 1_773_140_400_000 }, 'INVALID_REQUEST starts_at: must be a text'],
      [{ ends_at: '' }, `INVALID_REQUEST ends_at: ${NO_INSTANT}`],
      [
        { ends_at: '2026-03-10T11:59:59.999+01:00' },
        'INVALID_REQUEST ends_at: must not be earlier than starts_at',
      ],
      [{ cancelled_at: 'yes' }, `INVALID_REQUEST cancelled_at: ${NO_INSTANT}`],
      [{ revision: -1 }, 'INVALID_REQUEST revision: must be at least 0'],
      [{ revision: '1' }, 'INVALID_REQUEST revision: must be a number'],
      [{ revision: 1.5 }, 'INVALID_REQUEST revision: must be a whole number'],
      [
        { session_id: 1, plate: 1, area_code: 1, revision: '' },
        'INVALID_REQUEST session_id: must be a text; plate: must be a text; area_code: must be a text; revision: must be a number',
      ],
      [
        Object.fromEntries(unknownProperties(12).map((_, index) => [`x${index}`, 1])),
        `INVALID_REQUEST ${unknownProperties(10).join('; ')}`,
      ],
      [
        `{"__proto__":1,${JSON.stringify(aSessionLine()).slice(1)}`,
        'INVALID_REQUEST __proto__: is not a known property',
      ],
      [{ constructor: 1 }, 'INVALID_REQUEST constructor: is not a known property'],
      [{ [TOKEN]: 1 }, 'INVALID_REQUEST pev_***: is not a known property'],
      [{ ['x'.repeat(1_000)]: 1 }, `INVALID_REQUEST ${'x'.repeat(100)}: is not a known property`],
      ['no JSON', 'INVALID_JSON the line is not a JSON object'],
      ['[]', 'INVALID_JSON the line is not a JSON object'],
      ['null', 'INVALID_JSON the line is not a JSON object'],
    ]));
});

const period = (from: number, until: number) => ({
  starts_at: new Date(from).toISOString(),
  ends_at: new Date(until).toISOString(),
});
const plates = (count: number) => Array.from({ length: count }, (_, index) => ({ plate: `A${index}` }));
const periods = (count: number) =>
  Array.from({ length: count }, (_, index) => period(index * 1_000, index * 1_000 + 1_000));
const EPOCH = '1970-01-01T00:00Z';

describe('A line of a subscription', () => {
  it('is taken at the edges of its fields', () =>
    expectTaken('subscription', [
      { plates: [], periods: [], areas: 'all' },
      { plates: plates(500), periods: periods(500), areas: Array(500).fill('S1') },
      { plates: [{ plate: 'A1' }, { plate: 'A1', valid_from: EPOCH }] },
      { authorized_from: null, authorized_until: null, suspended_from: null, suspended_until: null },
      { suspended_from: EPOCH },
      { authorized_until: EPOCH, revoked_at: null },
      { approval: 'rejected' },
      { subscription_number: 'x'.repeat(200) },
    ]));

  it('is rejected with what is wrong', () =>
    expectRejected('subscription', [
      [{ subscription_number: undefined }, 'INVALID_REQUEST subscription_number: is required'],
      [
        { subscription_number: 'x'.repeat(201) },
        'INVALID_REQUEST subscription_number: must have at most 200 characters',
      ],
      [{ type: undefined }, 'INVALID_REQUEST type: is required'],
      [{ type: 'res' }, `SUBSCRIPTION_TYPE_NOT_FOUND type: ${NO_TYPE}`],
      [{ approval: undefined }, 'INVALID_REQUEST approval: must be one of: approved, pending, rejected'],
      [{ approval: 'maybe' }, 'INVALID_REQUEST approval: must be one of: approved, pending, rejected'],
      [{ plates: undefined }, 'INVALID_REQUEST plates: is required'],
      [{ plates: 'AB123CD' }, 'INVALID_REQUEST plates: must be a list'],
      [{ plates: plates(501) }, 'INVALID_REQUEST plates: must have at most 500 items'],
      [{ plates: ['AB123CD'] }, 'INVALID_REQUEST plates.0: must be an object'],
      [{ plates: [{ plate: 'A1', owner: 'me' }] }, 'INVALID_REQUEST plates.0.owner: is not a known property'],
      [{ plates: [{ plate: 'A1' }, { plate: '--' }] }, `INVALID_PLATE plates.1.plate: ${NO_PLATE}`],
      [
        { plates: [{ plate: 'A1', valid_from: EPOCH, valid_until: EPOCH }] },
        'INVALID_REQUEST plates.0.valid_until: must be later than valid_from',
      ],
      [{ areas: 'some' }, 'INVALID_REQUEST areas: is not of a valid form'],
      [{ areas: [] }, 'INVALID_REQUEST areas: must have at least 1 item'],
      [{ areas: Array(501).fill('S1') }, 'INVALID_REQUEST areas: must have at most 500 items'],
      [
        { type: 'NONE', areas: ['S8', 'S1', 'S9'] },
        `SUBSCRIPTION_TYPE_NOT_FOUND type: ${NO_TYPE}; areas.0: ${NO_AREA}; areas.2: ${NO_AREA}`,
      ],
      [{ periods: undefined }, 'INVALID_REQUEST periods: is required'],
      [{ periods: periods(501) }, 'INVALID_REQUEST periods: must have at most 500 items'],
      [
        { periods: [period(1_000, 1_000)] },
        'INVALID_REQUEST periods.0.ends_at: must be later than starts_at',
      ],
      [{ periods: [period(5_000, 6_000), period(0, 5_001)] }, 'INVALID_REQUEST periods: must not overlap'],
      [{ periods: [period(0, 9_000), period(1_000, 2_000)] }, 'INVALID_REQUEST periods: must not overlap'],
      [{ periods: [period(0, 1_000), period(0, 1_000)] }, 'INVALID_REQUEST periods: must not overlap'],
      [
        { authorized_from: EPOCH, authorized_until: EPOCH },
        'INVALID_REQUEST authorized_until: must be later than authorized_from',
      ],
      [
        { suspended_from: EPOCH, suspended_until: EPOCH },
        'INVALID_REQUEST suspended_until: must be later than suspended_from',
      ],
      [{ suspended_until: EPOCH }, 'INVALID_REQUEST suspended_until: requires suspended_from as well'],
      [{ revoked_at: true }, 'INVALID_REQUEST revoked_at: must be a text'],
      [{ holder: 'Rossi' }, 'INVALID_REQUEST holder: is not a known property'],
    ]));
});

describe('A bad line', () => {
  it('rejects itself alone, and is named by its number, blank lines counted, in the language of the caller', async () => {
    const lines = ['', aSessionLine(), 'no JSON', ' \t\r', aSessionLine({ area_code: 'X' }), aSessionLine()];
    const answer = await send(city.service, SESSIONS, file(lines), {
      ...city.headers,
      'Accept-Language': 'it',
    });
    expect(countsOf(answer)).toMatchObject({ received: 4, rejected: 2 });
    expect(answer.headers.get('Content-Language')).toBe('it');
    expect(errorsOf(answer)).toEqual([
      { line: 3, code: 'INVALID_JSON', message: 'la riga non è un oggetto JSON' },
      { line: 5, code: 'AREA_NOT_FOUND', message: 'area_code: il comune non ha aree con questo codice' },
    ]);
  });

  it('is counted with all others, of which the first thousand are listed', async () => {
    // All required fields, each as short as possible: what is shorter than that is counted unread.
    const shortest = '{"session_id":"1","plate":"A","area_code":"1","starts_at":"2026-01-01T00:00Z"}';
    const answer = await importAll('session', [{}, ...Array(1_500).fill('{}'), shortest]);
    expect(countsOf(answer)).toMatchObject({ received: 1_502, rejected: 1_500 });
    expect(errorsOf(answer).map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 2));
  });
});
