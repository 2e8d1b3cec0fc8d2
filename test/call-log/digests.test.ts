import { env } from 'cloudflare:workers';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY, ROME } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const ALIAS = '/api/v2/parking/check-plate';
const V1 = '/api/v1/parking/check-plate';
const EVIDENCE = '/api/v2/evidence/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const KEY = 'digest-key-of-the-tests-long-enough';
const ROMA = { municipality_code: 'H501' };

/** The half of a digest that is kept, made with another library than the service's. */
const digestOf = (place: string, plate: string, key = KEY) =>
  createHmac('sha256', key).update(`${place}\0${plate}`).digest('hex').slice(0, 32);

const city = new City(
  { ...CITY, municipalities: [ROME, { ...ROME, id: 2, code: 'OFF', plateCheckEnabled: false }] },
  { anew: true },
);

/** What the log has of a call about the plate AB123CD, by a credential of both municipalities. */
async function keptOf(path: string, body: object, service = city.service) {
  const { headers } = await issueCredential({}, [1, 2]);
  await city.post(path, { plate: ' ab-123 cd', ...body }, headers, service);
  const { results } = await env.DB.prepare('select outcome, plate_digest from logged_calls').all();
  return results.map(({ outcome, plate_digest }) => [outcome, plate_digest]);
}

describe('The digest of a plate in the call log', () => {
  it.each<[string, string, object, string | null]>([
    ['OK', CHECK, ROMA, 'H501'],
    ['OK', ALIAS, ROMA, 'H501'],
    ['OK', V1, ROMA, 'H501'],
    ['AREA_NOT_FOUND', CHECK, { ...ROMA, area_code: 'NONE' }, 'H501'],
    ['FACILITY_REQUIRED', CHECK, { ...ROMA, area_code: 'S1', event: 'entry' }, 'H501'],
    ['SERVICE_DISABLED', CHECK, { municipality_code: 'OFF' }, 'OFF'],
    ['MUNICIPALITY_REQUIRED', CHECK, {}, null],
    ['MUNICIPALITY_NOT_ALLOWED', CHECK, { municipality_code: 'ELSEWHERE' }, null],
    ['CHECKED_AT_IN_FUTURE', CHECK, { ...ROMA, checked_at: '2999-01-01T00:00:00Z' }, null],
    ['AREA_NOT_FOUND', EVIDENCE, { ...ROMA, at: new Date().toISOString(), area_code: 'NONE' }, 'H501'],
    ['SUBSCRIPTION_NOT_FOUND', OPTIONS, ROMA, 'acme'],
    ['MUNICIPALITY_REQUIRED', OPTIONS, {}, 'acme'],
  ])('of a call that ends with %s at %s for %j is made for %s', async (outcome, path, body, place) => {
    expect(await keptOf(path, body)).toEqual([[outcome, place && digestOf(place, 'AB123CD')]]);
  });

  it('is made with the first key that is long enough', async () => {
    const other = 'another-key-of-the-tests-long-enough';
    const service = new Service({ DIGEST_KEY: ` short, ${other} ,${KEY}` });
    expect(await keptOf(CHECK, ROMA, service)).toEqual([['OK', digestOf('H501', 'AB123CD', other)]]);
  });

  it.each([undefined, '', ' , ', 'k'.repeat(31)])(
    'is left out while DIGEST_KEY is %j, and checks go on',
    async (DIGEST_KEY) => {
      const service = new Service({ DIGEST_KEY: DIGEST_KEY as string });
      expect(await keptOf(CHECK, ROMA, service)).toEqual([['OK', null]]);
    },
  );
});
