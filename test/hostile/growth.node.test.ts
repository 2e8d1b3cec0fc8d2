import '../support/like-workerd.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { holdsToken, maskTokens } from '../../src/base/text/text.ts';
import { parseInstant } from '../../src/domain/instant.ts';
import { normalizePlate, storedPlate } from '../../src/domain/plate.ts';
import { turnsOf } from '../../src/intake/imports/ndjson.ts';
import { keysOf, withoutPlate } from '../../src/office/erasure/masked-plate.ts';
import { admitsAddress, isAllowlistEntry } from '../../src/serving/access/ip-allowlist.ts';
import { preferredLanguage } from '../../src/serving/http/language.ts';
import { expectNoFasterGrowth } from '../support/growth.ts';

const KIB = 1024;

const upTo = (size: number, unit: string): string => unit.repeat(Math.floor(size / unit.length));

/** What comes by a path of its own has the types of another runtime: here is as much of them as is used. */
const fromSource = (path: string): Promise<unknown> => import(/* @vite-ignore */ `../../src/${path}`);
const { issuePair } = (await fromSource('serving/access/token.ts')) as {
  issuePair(credentialId: string, keys: string): Promise<{ readonly accessToken: string }>;
};
const { maskedText } = (await fromSource('storage/call-log/masked-text.ts')) as {
  maskedText(text: string): string;
};
const { queryOf, readPageQuery } = (await fromSource('public/pages/page-query.ts')) as {
  readPageQuery(request: { readonly url: string; readonly headers: Headers }): object;
  queryOf(query: object): string;
};
const { createApp } = (await fromSource('app.ts')) as { createApp(callLog: object): App };

/** The service, with an object that admits every call. No database: no call here may come so far. */
interface App {
  request(path: string, init: RequestInit, env: object, execution: object): Promise<Response>;
}

const RATE = { limit: 10_000, windowSeconds: 60, remaining: 9_999, resetSeconds: 60 };
const GRANT = {
  credentialId: '0123456789abcdef01234567',
  tenantId: 1,
  tenantCode: 'acme',
  municipalities: ['H501'],
};
const ENV = {
  TOKEN_KEY: 'token-key-of-the-tests-long-enough',
  DIGEST_KEY: 'digest-key-of-the-tests-long-enough',
  CREDENTIALS: {
    getByName: () => ({ admit: async () => ({ outcome: 'admitted', grant: GRANT, rate: RATE }) }),
  },
  ASSETS: { fetch: async () => new Response('{}', { headers: { ETag: '"1"' } }) },
};
const EXECUTION = { waitUntil() {}, passThroughOnException() {} };

const app = createApp({ record() {} });
let token: string;

beforeAll(async () => {
  token = (await issuePair('0123456789abcdef01234567', ENV.TOKEN_KEY)).accessToken;
});

async function ask(path: string, init: RequestInit): Promise<void> {
  const { status } = await app.request(path, init, ENV, EXECUTION);
  expect(status).toBeLessThan(500);
}

describe('The time that a request takes grows with a header, and not faster:', () => {
  it.each<[string, string, string, string]>([
    ['Content-Type', 'application/json; charset=', ' ', 'x"y'],
    ['Content-Type', 'application/json', ';charset=utf-8', ''],
    ['Content-Type', 'application/json', '; ', ''],
    ['Content-Type', 'application/json; charset=', '"', ''],
    ['Accept-Language', '', ',', ''],
    ['Accept-Language', '', 'it;', ''],
    ['Accept-Language', '', 'a;q="\\', ''],
    ['Accept-Language', 'a', ' ;', ''],
    ['Accept-Language', '', 'a;q=0.1,it;q=1,', ''],
    ['Authorization', 'Bearer', ' ', 'x'],
    ['Authorization', 'Bearer ', 'pev_at_', ''],
    ['Authorization', 'Bearer ', 'x ', ''],
    ['Authorization', '', ' \t', 'Bearer'],
    ['X-Service-Token', 'pev_at_', '0', ''],
    ['X-Api-Key', 'pev_ak_', '0', ' x'],
    ['CF-Connecting-IP', '', '1:', ''],
    ['CF-Connecting-IP', '', '0', '::1'],
    ['CF-Connecting-IP', '::', '1.', ''],
    ['Origin', 'https://', 'a.', ''],
  ])('%s, %j and %j many times, then %j', async (name, before, unit, after) => {
    const credential: Record<string, string> = /Token|Key/.test(name)
      ? {}
      : { Authorization: `Bearer ${token}` };
    await expectNoFasterGrowth((size) => {
      const headers = {
        'Content-Type': 'application/json',
        ...credential,
        [name]: before + upTo(size, unit) + after,
      };
      return () => ask('/api/v2/parking-entitlements/search', { method: 'POST', headers, body: 'no JSON' });
    });
  });

  it.each<[string, string, string]>([
    ['', 'W/', ''],
    ['', ',', ''],
    ['"', ' ', 'x'],
  ])('If-None-Match, %j and %j many times, then %j', async (before, unit, after) => {
    await expectNoFasterGrowth((size) => {
      const headers = { 'If-None-Match': before + upTo(size, unit) + after };
      return () => ask('/api/v2/openapi.json', { headers });
    });
  });
});

describe('The time that a request takes grows with its query, and not faster:', () => {
  it.each<[string, string, string]>([
    ['/api/v2/public/municipalities/H501/occupancy?', 'area_type=street&', ''],
    ['/api/v2/public/municipalities/H501/occupancy?', 'x=y&', 'area_type=none'],
    ['/api/v2/public/municipalities/H501/occupancy.geojson?area_type=', '%C3%A0', ''],
  ])('%s, then %j many times, then %j', async (path, unit, after) => {
    await expectNoFasterGrowth((size) => () => ask(path + upTo(size, unit) + after, {}));
  });
});

const lines = (text: string): number => [...turnsOf(new TextEncoder().encode(text), KIB)].length;
const pageQuery = (query: string): string =>
  queryOf(readPageQuery({ url: `https://parking.test/?${query}`, headers: new Headers() }));
const isAdmitted = (address: string): boolean => admitsAddress(['203.0.113.0/24', '2001:db8::/32'], address);

describe('The time that a text takes grows with it, and not faster:', () => {
  it.each<[string, string, string, string, (text: string) => unknown]>([
    ['a plate', 'a', '\u0301', '', normalizePlate],
    ['a plate', 'a', '\u0315\u0300\u05ae', '', normalizePlate],
    ['a plate', '', '\u1100\u1161', '', normalizePlate],
    ['a plate', '', '\u200b', '', normalizePlate],
    ['a plate', '', ' ', 'A', normalizePlate],
    ['an instant', '2026-01-01T00:00:00.', '1', '', parseInstant],
    ['an instant', '', '2026-01-01T', 'Z', parseInstant],
    ['a language', 'en', '-', '', preferredLanguage],
    ['an address', '', '1:', '', isAdmitted],
    ['an address', '', '0', '::1', isAdmitted],
    ['an address', '::', '1.', '', isAdmitted],
    ['an entry of an allow-list', '', '1:', '', isAllowlistEntry],
    ['an entry of an allow-list', '', '0', '::/1', isAllowlistEntry],
    ['an entry of an allow-list', '', '/', '', isAllowlistEntry],
    ['an entry of an allow-list', '::/', '1', '', isAllowlistEntry],
    ['a text with tokens', '', 'pev_', '', maskTokens],
    ['a text with tokens', '', 'pev_at_', '', maskTokens],
    ['a text with tokens', '', 'pev_at_ ', '', maskTokens],
    ['a text without tokens', '', 'pev_a', '', holdsToken],
    ['a body for the log', '"', '\\', '"', maskedText],
    ['a body for the log', '"', '\\u0070', '"', maskedText],
    ['a body for the log', '"', '\\u00', '"', maskedText],
    ['a body for the log', '', '\0', '', maskedText],
    ['the query of a page', '', 'area=S1&', '', pageQuery],
    ['the query of a page', 'lang=it&q=', '%20', 'x', pageQuery],
    ['a file of lines', '', '\n', '', lines],
    ['a file of lines', '', ' \t\r \n', '', lines],
    ['a file of lines', '', ' ', '', lines],
    ['a file of lines', '', 'x\n', '', lines],
  ])('%s, %j and %j many times, then %j', async (_, before, unit, after, take) => {
    await expectNoFasterGrowth((size) => {
      const text = before + upTo(size, unit) + after;
      return () => take(text);
    });
  });

  it('a kept request whose strings all spell an erased plate, with as many keys that are made from it', async () => {
    await expectNoFasterGrowth((size) => {
      const numbers = Array.from({ length: size / 16 }, (_, number) => number);
      const text = JSON.stringify(numbers.map((number) => `ERASE1/${number}/none`));
      const keys = keysOf(numbers.map((number) => `ERASE1-${number}`));
      return () => withoutPlate(text, storedPlate('ERASE1'), keys);
    });
  });
});
