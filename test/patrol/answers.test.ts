import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { A_STREET, iso, NOW, SEEN } from './street.ts';

const city = new City(A_STREET, { now: NOW });

const ask = (checks: readonly object[], headers = {}) => {
  const numbered = checks.map((check, index) => ({ id: String(index), area_code: 'S1', ...check }));
  return city.post('/api/v2/patrol/checks', { checks: numbered }, headers);
};

interface Result {
  readonly finding?: string;
  readonly look_again_at: string | null;
  readonly doubts: { code: string; source_code?: string; area?: { code: string } }[];
  readonly refused?: { code: string };
  readonly [field: string]: unknown;
}

async function results(checks: readonly object[]): Promise<Result[]> {
  const { status, body } = await ask(checks);
  if (status !== 200) throw new Error(JSON.stringify(body));
  // The contract was held against the description.
  return body.results as Result[];
}

const resultOf = async (check: object): Promise<Result> => {
  const [result] = await results([{ seen_at: SEEN, ...check }]);
  return result ?? expect.fail('no result');
};

const FINDINGS: readonly [string, object, string, doubts?: readonly string[]][] = [
  ['a session', { plate: 'HERE' }, 'entitled'],
  ['a running session', { plate: 'RUNNING' }, 'entitled'],
  ['a subscription', { plate: 'TITLE' }, 'entitled'],
  ['a facility’s own tolerance', { plate: 'GARAGE', area_code: 'P1' }, 'entitled'],
  ['a session that ended 6 minutes before', { plate: 'JUSTENDED' }, 'tolerated'],
  ['a session that ended 10 minutes before', { plate: 'BEFORE' }, 'no_entitlement', []],
  ['a payment 3 minutes after', { plate: 'PAIDAFTER' }, 'tolerated'],
  ['a street that costs nothing on Saturdays', { plate: 'NOBODY', area_code: 'S4' }, 'not_due'],
  [
    'a sighting of this moment',
    { plate: 'NOBODY', seen_at: null },
    'look_again',
    ['MAY_BE_PAYING', 'SOURCE_LATE'],
  ],
  ['a title never paid for', { plate: 'FIRST' }, 'officer_decides', ['SUBSCRIPTION_MAY_BE_RENEWED']],
  ['a plate one slip away', { plate: 'ABC0DEF' }, 'officer_decides', ['SIMILAR_PLATE_ENTITLED']],
  [
    'a plate one slip away, but from another street',
    { plate: 'ABC0DEF', area_code: 'S2' },
    'no_entitlement',
    [],
  ],
  ['a session next door', { plate: 'NEXT' }, 'officer_decides', ['VALID_IN_OTHER_AREA S2']],
  ['a title of next door', { plate: 'ELSEWHERE' }, 'officer_decides', ['VALID_IN_OTHER_AREA S2']],
  ['a title of a closed area', { plate: 'OFFTITLE' }, 'no_entitlement', []],
  ['a session in a closed area', { plate: 'NEXTDOOR' }, 'no_entitlement', []],
  ['nothing', { plate: 'NOBODY' }, 'no_entitlement', []],
];

const REFUSED: readonly [string, object, string][] = [
  ['a plate that is none', { plate: '--' }, 'INVALID_PLATE'],
  ['before its instant is looked at', { plate: '', seen_at: iso(NOW + HOUR_MS) }, 'INVALID_PLATE'],
  ['one seen in the future', { plate: 'A', seen_at: iso(NOW + 5_001) }, 'CHECKED_AT_IN_FUTURE'],
  [
    'one seen more than two days ago',
    { plate: 'A', seen_at: iso(NOW - 2 * DAY_MS - 1) },
    'CHECKED_AT_OUT_OF_RANGE',
  ],
  ['one in an unknown area', { plate: 'A', area_code: 'NONE' }, 'AREA_NOT_FOUND'],
  ['one in an inactive area', { plate: 'A', area_code: 'S3' }, 'AREA_NOT_FOUND'],
];

describe('A patrol', () => {
  it('answers each sighting in its order, and the sources that it waits for', async () => {
    const { body } = await ask([{ plate: ' no-body ', seen_at: SEEN }, { plate: 'HERE' }]);
    expect(body).toEqual({
      success: true,
      ok: true,
      request_id: expect.any(String),
      api_version: '1.0',
      timezone: 'Europe/Rome',
      municipality: { code: 'H501', name: 'Roma' },
      generated_at: '2026-03-07T12:00:00+01:00',
      sources: [
        {
          code: 'app1',
          name: 'App One',
          status: 'fresh',
          complete_until: '2026-03-07T11:59:00+01:00',
        },
      ],
      results: [
        {
          id: '0',
          plate: 'NOBODY',
          area: { code: 'S1', name: 'Via Roma', area_type: 'street' },
          seen_at: '2026-03-07T11:54:00+01:00',
          finding: 'no_entitlement',
          look_again_at: null,
          payment_due: true,
          has_valid_entitlement: false,
          has_valid_parking: false,
          has_valid_subscription: false,
          doubts: [],
        },
        expect.objectContaining({ id: '1', finding: 'entitled', has_valid_parking: true }),
      ],
    });
  });

  it.each(FINDINGS)('finds: %s', async (_, check, finding, doubts = []) => {
    const result = await resultOf(check);
    expect(result.finding).toBe(finding);
    expect(result.doubts.map(({ code, area }) => (area ? `${code} ${area.code}` : code))).toEqual(doubts);
  });

  it.each(REFUSED)('refuses alone: %s', async (_, check, code) => {
    const [refused, other] = await results([{ seen_at: SEEN, ...check }, { plate: 'HERE' }]);
    expect(refused).toEqual({ id: '0', refused: { code, message: expect.any(String) } });
    expect(other).toMatchObject({ id: '1', finding: 'entitled' });
  });

  it('says when to look again: when the source will have reported, and not before the observation ends', async () => {
    const { look_again_at, doubts } = await resultOf({ plate: 'NOBODY', seen_at: iso(NOW - MINUTE_MS) });
    expect(look_again_at).toBe('2026-03-07T12:05:00+01:00');
    expect(doubts.map(({ source_code }) => source_code)).toEqual([undefined, 'app1']);
  });

  it('may be asked about two days ago, whatever the credential may look back', async () => {
    const { headers } = await issueCredential({ historicalDaysAllowed: 0 });
    const { body } = await ask([{ plate: 'HERE', seen_at: iso(NOW - 2 * DAY_MS) }], headers);
    expect(body.results).toMatchObject([{ finding: 'no_entitlement' }]);
  });

  it('says what a plate check says, whatever the finding', async () => {
    for (const [, check] of FINDINGS) {
      const asked = { area_code: 'S1', ...check, checked_at: (check as { seen_at?: null }).seen_at ?? SEEN };
      const checked = await city.post('/api/v2/parking-entitlements/search', asked);
      const { has_valid_entitlement, has_valid_parking, has_valid_subscription } = checked.body;
      expect(await resultOf({ seen_at: asked.checked_at, ...check }), JSON.stringify(check)).toMatchObject({
        has_valid_entitlement,
        has_valid_parking,
        has_valid_subscription,
      });
    }
  });
});

it('A plate that was seen often gets the answers that each sighting gets alone', async () => {
  const sightings = ['HERE', 'HEXE', 'JUSTENDED', 'NEXT', 'ELSEWHERE', 'ABC0DEF'].flatMap((plate) =>
    ['S1', 'S2', 'S4', 'P1'].flatMap((area_code) =>
      [SEEN, iso(NOW - 20 * MINUTE_MS), iso(NOW - 30 * HOUR_MS)].map((seen_at) => ({
        ...{ plate, area_code, seen_at },
      })),
    ),
  );
  const together = await results(sightings);
  expect(new Set(together.map(({ finding }) => finding)).size).toBeGreaterThan(3);
  for (const [index, sighting] of sightings.entries()) {
    const [alone] = await results([sighting]);
    expect({ ...together[index], id: '0' }).toEqual(alone);
  }
});
