import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { put } from '../configuration/support.ts';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  errorsOf,
  SUBSCRIPTIONS,
  send,
} from '../imports/support.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN, type Answer } from '../support/service.ts';

const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';

const city = new City(CITY);

const outcomeOf = ({ status, body }: Answer): unknown =>
  status < 300 ? 'OK' : (body.error as { code: string }).code;
/** What becomes of a line: its code, if it is rejected. */
const imported = async (path: string, line: object): Promise<string> =>
  errorsOf(await send(city.service, path, JSON.stringify(line), city.headers))[0]?.code ?? 'OK';

/** What a database may end a text at, drop from it, or take for another. */
const AMBIGUOUS = ['\u0000', '\u0000x', '\ud800', '\udc00', '\ufffd', '\u200b', '\u0301'];

describe('A text that the database could take for another finds nothing:', () => {
  it.each(AMBIGUOUS)('%j', async (more) => {
    const check = (body: object) => city.post(CHECK, { plate: 'AB123CD', ...body });
    expect(outcomeOf(await check({ area_code: 'P1' }))).toBe('OK');
    expect(outcomeOf(await check({ area_code: `P1${more}` }))).toBe('AREA_NOT_FOUND');
    expect(outcomeOf(await check({ municipality_code: `H501${more}` }))).toBe('MUNICIPALITY_NOT_ALLOWED');
    const escaped = encodeURIComponent(more.toWellFormed());
    const source = await send(city.service, APP1_SESSIONS + escaped, '', city.headers);
    expect(outcomeOf(source)).toBe('SOURCE_NOT_FOUND');
    const revoke = `/api/v2/admin/credentials/${city.credential.credentialId}${escaped}/revoke`;
    expect(outcomeOf(await city.post(revoke, {}, ADMIN))).toBe('NOT_FOUND');
    expect(outcomeOf(await city.post(OPTIONS, { plate: `AB${more}1` }))).toBe('OK');
  });
});

describe('A text that the database would not give back as it came is refused:', () => {
  it.each(['\u0000', '\ud800', '\udc00\ud800', '\n', '\u0085'])('%j', async (part) => {
    expect(await outcomesWith(`a${part}b`)).toEqual(Array(5).fill('INVALID_REQUEST'));
    expect(await imported(APP1_SESSIONS, aSessionLine({ area_code: `a${part}b` }))).toBe('AREA_NOT_FOUND');
  });
});

describe('A character that turns the direction of text', () => {
  // The first and the last of both ranges, and their neighbours, which turn nothing.
  it.each(['\u202a', '\u202e', '\u2066', '\u2069'])(
    'is in no code, no name and no key: %j',
    async (turning) => {
      expect(await outcomesWith(`a${turning}b`)).toEqual(Array(5).fill('INVALID_REQUEST'));
    },
  );

  it.each(['\u2029', '\u202f', '\u2065', '\u206a'])('is not %j', async (other) => {
    expect(await outcomesWith(`a${other}b`)).toEqual(Array(5).fill('OK'));
  });
});

it.each(['.', '..', ' . '])('No path can name the code %j, so nothing gets it', async (code) => {
  const answer = await put({
    municipalities: [{ code: 'H501', sources: [{ code, name: 'New', category: 'app' }] }],
  });
  expect(outcomeOf(answer)).toBe('INVALID_REQUEST');
});

/** What comes of a text as a code, as names, and as the keys of imports. */
async function outcomesWith(text: string): Promise<unknown[]> {
  const credential = { tenant: 'acme', name: text, scopes: ['report'], municipalities: ['H501'] };
  return [
    outcomeOf(await put({ tenants: [{ code: text, name: 'New' }] })),
    outcomeOf(await put({ tenants: [{ code: 'new', name: text }] })),
    outcomeOf(await city.post('/api/v2/admin/credentials', credential, ADMIN)),
    await imported(APP1_SESSIONS, aSessionLine({ session_id: text })),
    await imported(SUBSCRIPTIONS, aSubscriptionLine({ subscription_number: text })),
  ];
}

describe('A name of an object’s own property is a name like any other:', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s', async (name) => {
    const json = { 'Content-Type': 'application/json' };
    const check = `{"plate":"AB123CD","area_code":"${name}","${name}":{"plate":1,"event":"entry"}}`;
    expect(outcomeOf(await city.post(CHECK, check, json))).toBe('AREA_NOT_FOUND');
    const report = `{"${name}":{"area_type":"facility"}}`;
    const answer = await city.post('/api/v2/parking/reports/active-by-area', report, json);
    expect(outcomeOf(answer)).toBe('INVALID_REQUEST');
    const areas = [{ code: name, name: 'x', area_type: 'street' }];
    expect(await put({ municipalities: [{ code: 'H501', areas }] })).toMatchObject({
      status: 200,
      body: { created: 1 },
    });
    const line = JSON.stringify(aSessionLine({ session_id: name, area_code: name }));
    for (const counts of [{ created: 1 }, { unchanged: 1 }]) {
      expect(countsOf(await send(city.service, APP1_SESSIONS, line, city.headers))).toMatchObject(counts);
    }
  });
});

it('What clients write into a header that stands before the service takes no room in a row of the log', async () => {
  const { headers, credentialId } = await issueCredential();
  await city.post(CHECK, { plate: 'A' }, { ...headers, 'CF-Connecting-IP': '1'.repeat(6_000) });
  const addresses = 'select address from logged_calls where credential_id = ?';
  const stored = () => env.DB.prepare(addresses).bind(credentialId).all();
  await vi.waitFor(async () => expect((await stored()).results).toEqual([{ address: null }]));
});
