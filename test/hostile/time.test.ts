import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, describe, expect, it } from 'vitest';
import { instant } from '../../src/domain/instant.ts';
import { calls } from '../../src/storage/db/schema/index.ts';
import { idOf } from '../support/calls.ts';
import { issueCredential } from '../support/credential.ts';
import { THOROUGH } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, Service } from '../support/service.ts';

/**
 * The time of a request with a large body grows with its size and not faster. A clock would tell more of the machine than
 * of the service: each nasty request is measured against a plain one of the same size to the same operation.
 */

const KIB = 1024;
/** Some inputs are dearer than plain text, and the machine has other work. What grows faster is dearer by far more. */
const MAX_TIMES_DEARER = 40;
/** So many in the thorough run, and more where a machine was busy in each of them. */
const ROUNDS = 3;
const MAX_ROUNDS = 20;
/** The clock of this runtime goes by milliseconds. */
const GRAIN_MS = 1;

const CHECK = '/api/v2/parking-entitlements/search';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const REPORT = '/api/v2/parking/reports/active-by-area';
const SESSIONS = '/api/v2/imports/sessions?source_code=app1';
const SUBSCRIPTIONS = '/api/v2/imports/subscriptions';
const CREDENTIALS = '/api/v2/admin/credentials';

const service = new Service();
let headers: Record<string, string>;

beforeAll(async () => {
  await seed(CITY);
  ({ headers } = await issueCredential({ ipAllowlist: null }));
});

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

async function once({ path, method = 'POST', body, headers: own = {} }: Sent): Promise<number> {
  const startedAt = performance.now();
  const answer = await service.send(
    new Request(`https://parking.test${path}`, {
      method,
      headers: {
        'Content-Type': path.includes('/imports/') ? 'application/x-ndjson' : 'application/json',
        ...(path.includes('/admin/') ? ADMIN : headers),
        ...own,
      },
      ...(body !== undefined && { body }),
    }),
  );
  // The clock moves when something comes in.
  await env.DB.prepare('select 1').run();
  expect(answer.status).toBeLessThan(500);
  return performance.now() - startedAt;
}

async function expectNoDearer(nasty: Sent, plain: Sent): Promise<void> {
  const times = { nasty: Number.POSITIVE_INFINITY, plain: Number.POSITIVE_INFINITY };
  const isNoDearer = () => times.nasty / Math.max(times.plain, GRAIN_MS) < MAX_TIMES_DEARER;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    times.plain = Math.min(times.plain, await once(plain));
    times.nasty = Math.min(times.nasty, await once(nasty));
    if (isNoDearer() && (!THOROUGH || round >= ROUNDS)) return;
  }
  expect(times.nasty / Math.max(times.plain, GRAIN_MS)).toBeLessThan(MAX_TIMES_DEARER);
}

const upTo = (bytes: number, unit: string): string =>
  unit.repeat(Math.floor(bytes / new TextEncoder().encode(unit).length));
const numbered = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(',');

const QUERY = 63 * KIB;
/** A meter's query has at most 8 KiB. */
const METERS = 7 * KIB;
const plainQuery = (bytes: number) => JSON.stringify({ plate: 'AB123CD', x: 'A'.repeat(bytes) });

describe('The largest body of a query costs as one of plain letters:', () => {
  const plate = (text: string) => JSON.stringify({ plate: text });
  it.each<[string, string, string]>([
    ['a letter with thousands of marks', CHECK, plate(`a${upTo(QUERY, '\u0301')}`)],
    ['marks of many classes, in the wrong order', CHECK, plate(`a${upTo(QUERY, '\u0315\u0300\u05ae')}`)],
    ['parts of syllables', CHECK, plate(upTo(QUERY, '\u1100\u1161'))],
    ['a plate of nothing that stays', CHECK, plate(`${upTo(QUERY, '\u200b')}`)],
    ['a plate of ligatures', CHECK, plate(upTo(QUERY, 'ﷺ'))],
    ['blanks around a plate', CHECK, plate(`${upTo(QUERY, ' ')}A`)],
    [
      'an instant with a long fraction',
      CHECK,
      JSON.stringify({ plate: 'A', checked_at: `2026-01-01T00:00:00.${upTo(QUERY, '1')}` }),
    ],
    ['arrays in arrays', CHECK, `{"plate":"A","x":${'['.repeat(QUERY / 2)}${']'.repeat(QUERY / 2)}}`],
    ['one property thousands of times', CHECK, `{${numbered(5_000, () => '"plate":"A"')}}`],
    ['thousands of properties', CHECK, `{${numbered(6_000, (index) => `"${index}":1`)}}`],
    ['backslashes', OPTIONS, `{"plate":"${upTo(METERS, '\\\\')}"}`],
    ['escapes of letters', OPTIONS, `{"plate":"${upTo(METERS, '\\u0070')}"}`],
    ['beginnings of tokens', OPTIONS, `{"plate":"${upTo(METERS, 'pev_at_')}"}`],
    ['beginnings of beginnings of tokens', OPTIONS, `{"plate":"${upTo(METERS, 'pev_')}"}`],
    ['a broken body of quotes', OPTIONS, `"${upTo(METERS, '\\"')}`],
    ['a body that is not UTF-8', OPTIONS, upTo(METERS, '\u0000')],
  ])('%s', async (_, path, body) => {
    const plain = plainQuery(path === OPTIONS ? METERS : QUERY);
    await expectNoDearer({ path, body }, { path, body: plain });
  });
});

const issue = (changed: object): Sent => ({
  path: CREDENTIALS,
  body: JSON.stringify({
    tenant: 'acme',
    name: 'x',
    scopes: ['report'],
    municipalities: ['H501'],
    ...changed,
  }),
});

describe('A credential that is asked for', () => {
  it.each([
    ['a long address', issue({ ip_allowlist: [upTo(QUERY, '1:')] })],
    ['an address of zeros', issue({ ip_allowlist: [`${upTo(QUERY, '0')}::/1`] })],
    ['slashes for an address', issue({ ip_allowlist: [upTo(QUERY, '/')] })],
    ['a name of blanks', issue({ name: `x${upTo(QUERY, ' ')}x` })],
    ['the beginnings of tokens for a name', issue({ name: upTo(QUERY, 'pev_') })],
  ])('with %s costs as one with a long name', async (_, nasty) => {
    await expectNoDearer(nasty, issue({ name: upTo(QUERY, 'x') }));
  });
});

it('A report request with thousands of unknown properties costs as a plate check that ignores as many', async () => {
  const body = `{"plate":"A",${numbered(5_000, (index) => `"${index + 10_000}":1`)}}`;
  await expectNoDearer({ path: REPORT, body }, { path: CHECK, body });
});

describe('A file of half a MiB costs as one of sessions:', () => {
  const FILE = 512 * KIB;
  const at = new Date(Date.now() - 60_000).toISOString();
  const line = (index: number): string =>
    `${JSON.stringify({ session_id: `s${index}`, plate: 'AB123CD', area_code: 'S1', starts_at: at })}\n`;
  const plain = Array.from({ length: 4_500 }, (_, index) => line(index)).join('');
  const nested = `{"plates":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`;
  it.each<[string, string, string]>([
    ['empty lines', SESSIONS, upTo(FILE, '\n')],
    ['blank lines', SESSIONS, upTo(FILE, ' \t\r \n')],
    ['one line of blanks', SESSIONS, upTo(FILE, ' ')],
    ['lines of one letter', SESSIONS, upTo(FILE, 'x\n')],
    ['lines of braces', SESSIONS, upTo(FILE, '{}\n')],
    ['arrays in arrays', SUBSCRIPTIONS, upTo(FILE, nested)],
    ['one session thousands of times', SESSIONS, upTo(FILE, line(1))],
    ['unknown properties', SESSIONS, upTo(FILE, `{${numbered(1_000, (index) => `"${index}":1`)}}\n`)],
    ['plates of marks', SESSIONS, upTo(FILE, line(1).replace('AB123CD', `A${upTo(40_000, '\u0301')}`))],
    ['a key that is too long', SESSIONS, upTo(FILE, line(1).replace('"s1"', `"${upTo(40_000, ' x')}"`))],
    [
      'periods that overlap',
      SUBSCRIPTIONS,
      upTo(
        FILE,
        `{"subscription_number":"1","type":"RES","plates":[],"approval":"approved","areas":"all","periods":[${numbered(500, () => `{"starts_at":"${at}","ends_at":"2999-01-01T00:00Z"}`)}]}\n`,
      ),
    ],
  ])(
    '%s',
    async (_, path, body) => {
      await expectNoDearer({ path, body }, { path: SESSIONS, body: plain });
    },
    30_000,
  );
});

it('A call that was logged with a nasty request is looked up as one with a plain request', async () => {
  const row = async (request: string): Promise<Sent> => {
    const requestId = crypto.randomUUID();
    await drizzle(env.DB)
      .insert(calls)
      .values({
        ...{
          id: idOf(requestId),
          at: instant(1),
          operation: 'subscription_options',
          httpStatus: 200,
          outcome: 'OK',
          durationMs: 1,
        },
        ...{
          credentialId: null,
          tenant: null,
          municipalityCode: null,
          address: null,
          response: null,
          request,
        },
      });
    return { path: `/api/v2/admin/calls/${requestId}`, method: 'GET' };
  };
  for (const nasty of [
    `{"a":"${upTo(QUERY, '\\"')}"}`,
    `{"a"${upTo(QUERY, ' ')}:1}`,
    `"${upTo(QUERY, '\\"')}`,
    `{${upTo(QUERY, '""')}`,
  ]) {
    await expectNoDearer(await row(nasty), await row(plainQuery(QUERY)));
  }
});
