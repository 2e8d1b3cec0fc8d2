import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS } from '../../src/domain/instant.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { brokenObjects, databaseDouble, writesCallLog } from '../support/doubles.ts';
import { type Answer, Service } from '../support/service.ts';
import { optionsLog } from './call-log-support.ts';
import { NOW } from './support.ts';

const { credential, rows, onlyRow, lookUp, post } = optionsLog();

const KIB = 1024;
const LARGEST = 8 * KIB;
const KEPT_OF_REFUSED = 2 * KIB;
const REFUSED_CALLS = 10_000;
const REQUEST_BYTES = 256 * KIB * KIB;

const padded = (body: object, bytes: number) => JSON.stringify(body).padEnd(bytes, ' ');
const codeOf = ({ body }: Answer) => (body.error as { code: string } | undefined)?.code ?? 'OK';

describe('The body of an options query', () => {
  it.each([
    ['of 8 KiB is taken, and kept whole', LARGEST, 'OK'],
    ['of a byte more is refused', LARGEST + 1, 'PAYLOAD_TOO_LARGE'],
  ])('%s, announced or streamed', async (_, bytes, code) => {
    const body = padded({ plate: 'ACTIVE' }, bytes);
    const answers = [await post(body), await post(new Blob([body]).stream())];
    expect(answers.map(codeOf)).toEqual([code, code]);
    if (code === 'OK') {
      expect((await rows()).map(({ request }) => request)).toEqual([body, body]);
    }
  });
});

describe('Of a refused call the log keeps the first 2 KiB of the request:', () => {
  const sent = { plate: 'ACTIVE', x: 'x'.repeat(KEPT_OF_REFUSED) };
  const own = async () => credential().headers;
  it.each<[string, () => Promise<Record<string, string>>, string]>([
    ['INVALID_JSON', own, '€'.repeat(2_000)],
    ['MUNICIPALITY_NOT_ALLOWED', own, JSON.stringify({ ...sent, municipality_code: 'NOSUB' })],
    ['PAYLOAD_TOO_LARGE', own, 'x'.repeat(70_000)],
    [
      'INVALID_CONTENT_TYPE',
      async () => ({ ...credential().headers, 'Content-Type': 'text/x' }),
      JSON.stringify(sent),
    ],
    ['INVALID_PLATE', own, JSON.stringify({ ...sent, plate: '-' })],
    ['INVALID_REQUEST', own, JSON.stringify({ ...sent, plate: 1 })],
  ])('%s', async (code, headers, body) => {
    for (const way of [body, new Blob([body]).stream()]) {
      await env.DB.prepare('delete from calls').run();
      expect(codeOf(await post(way, await headers()))).toBe(code);
      const kept = (await onlyRow()).request ?? expect.fail('nothing is kept');
      expect(body.startsWith(kept)).toBe(true);
      // Whole characters alone.
      expect(new TextEncoder().encode(kept).byteLength).toBe(body.startsWith('€') ? 2_046 : KEPT_OF_REFUSED);
    }
  });

  it.each([KEPT_OF_REFUSED - 1, KEPT_OF_REFUSED, KEPT_OF_REFUSED + 1])('of %i bytes', async (bytes) => {
    await post('x'.repeat(bytes));
    expect((await onlyRow()).request?.length).toBe(Math.min(bytes, KEPT_OF_REFUSED));
  });
});

/** What a credential has brought on a day, in the database that its calls are logged in. */
const counted = async (id: string) =>
  (
    await env.DB.prepare(
      'select day, refused_calls, request_bytes from call_log_days where credential_id = ? order by day',
    )
      .bind(id)
      .all()
  ).results;
const TODAY = Math.floor(NOW / DAY_MS);

/** Lets a credential have brought so much today. */
const brought = (id: string, refusedCalls: number, requestBytes: number) =>
  env.DB.prepare('insert or replace into call_log_days values (?, ?, ?, ?)')
    .bind(TODAY, id, refusedCalls, requestBytes)
    .run();

/** The rows of one call after the other, each from an isolate of its own. */
async function rowsOf(bodies: readonly unknown[], { headers }: TestCredential) {
  const kept = [];
  for (const body of bodies) {
    await env.DB.prepare('delete from calls').run();
    const answer = await post(body, headers, new Service());
    kept.push({ answer, row: await onlyRow() });
  }
  return kept;
}

describe('Of the refused calls of a day and credential', () => {
  const refused = '{"plate":';

  it('the first 10,000 are kept with their bodies, and later ones have their rows alone', async () => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, REFUSED_CALLS - 1, 0);
    const [last, first] = await rowsOf([refused, refused], flooding);
    expect(last?.row).toMatchObject({ request: refused, response: JSON.stringify(last?.answer.body) });
    expect(first?.row).toMatchObject({
      outcome: 'INVALID_JSON',
      http_status: 400,
      credential_id: flooding.credentialId,
      tenant: 'acme',
      address: '203.0.113.7',
      request: null,
      response: null,
    });
    expect(await lookUp(first?.answer.body.request_id)).toMatchObject({ request: null, response: null });
  });

  it.each([
    [413, 'PAYLOAD_TOO_LARGE', 'x'.repeat(LARGEST + 1)],
    [422, 'INVALID_PLATE', { plate: '' }],
  ])('those with %i count: %s', async (_, code, body) => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, REFUSED_CALLS, 0);
    const [past] = await rowsOf([body], flooding);
    expect(past?.row).toMatchObject({ outcome: code, request: null, response: null });
    expect(await counted(flooding.credentialId)).toEqual([
      { day: TODAY, refused_calls: REFUSED_CALLS + 1, request_bytes: 0 },
    ]);
  });

  it('so many leave alone what is kept of its accepted calls, and of other credentials', async () => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, REFUSED_CALLS, 0);
    const sent = { plate: 'ACTIVE', x: 1 };
    const [accepted] = await rowsOf([sent], flooding);
    const [others] = await rowsOf([refused], await issueCredential());
    expect(accepted?.row.request).toBe(JSON.stringify(sent));
    expect(others?.row.request).toBe(refused);
  });

  it('they are counted from zero again from midnight in UTC', async () => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, REFUSED_CALLS, 0);
    vi.setSystemTime((TODAY + 1) * DAY_MS - 1);
    const [before] = await rowsOf([refused], flooding);
    vi.setSystemTime((TODAY + 1) * DAY_MS);
    const [after] = await rowsOf([refused], flooding);
    expect([before?.row.request, after?.row.request]).toEqual([null, refused]);
  });
});

describe('Of the accepted calls of a day and credential', () => {
  const sent = { plate: 'act-ive', municipality_code: ' H501 ', terminal_code: 'T-1', x: 'rubbish' };
  const text = JSON.stringify(sent);
  const known = { plate: 'ACTIVE', municipality_code: 'H501', terminal_code: 'T-1' };

  it('256 MiB of requests are kept whole, and past it the fields that are known, with the answer', async () => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, 0, REQUEST_BYTES - text.length);
    const [last, first] = await rowsOf([text, text], flooding);
    expect(last?.row.request).toBe(text);
    expect(JSON.parse(first?.row.request ?? '')).toEqual(known);
    expect(first?.row.response).toBe(JSON.stringify(first?.answer.body));
    expect(await lookUp(first?.answer.body.request_id)).toMatchObject({ request: known });
  });

  it('a byte too many is past it', async () => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, 0, REQUEST_BYTES - text.length + 1);
    const [past] = await rowsOf([text], flooding);
    expect(JSON.parse(past?.row.request ?? '')).toEqual(known);
  });

  it('a request is counted by its bytes', async () => {
    const flooding = await issueCredential();
    await rowsOf([{ plate: 'A', x: '€' }, { plate: 'B' }], flooding);
    const [bytes] = await counted(flooding.credentialId);
    expect(bytes).toEqual({
      day: TODAY,
      refused_calls: 0,
      request_bytes: '{"plate":"A","x":"xxx"}{"plate":"B"}'.length,
    });
  });

  it('so many leave alone what is kept of its refused calls, of other credentials, and of the next day', async () => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, 0, REQUEST_BYTES);
    const [refused] = await rowsOf(['{"plate":'], flooding);
    const [others] = await rowsOf([text], await issueCredential());
    vi.setSystemTime((TODAY + 1) * DAY_MS);
    const [tomorrow] = await rowsOf([text], flooding);
    expect([refused, others, tomorrow].map((one) => one?.row.request)).toEqual(['{"plate":', text, text]);
  });

  it.each([
    [
      'a plate among hyphens',
      { plate: `-${'-'.repeat(4_000)}A`, municipality_code: 'H501' },
      { plate: 'A', municipality_code: 'H501' },
    ],
    [
      'a token for a terminal',
      { plate: 'A', terminal_code: 'pev_at_0123' },
      { plate: 'A', terminal_code: 'pev_***' },
    ],
    [
      'the longest terminal',
      { plate: 'A', terminal_code: '🅿'.repeat(64) },
      { plate: 'A', terminal_code: '🅿'.repeat(64) },
    ],
  ])('the known fields stay within bounds: %s', async (_, body, kept) => {
    const flooding = await issueCredential();
    await brought(flooding.credentialId, 0, REQUEST_BYTES);
    const [past] = await rowsOf([body], flooding);
    expect(JSON.parse(past?.row.request ?? '')).toEqual(kept);
  });

  it('failures of ours count too, those of an unknown credential together', async () => {
    const away = new Service({ CREDENTIALS: brokenObjects() });
    await brought('', 0, REQUEST_BYTES);
    await post({ plate: 'A', municipality_code: 'x'.repeat(4_000) }, credential().headers, away);
    expect(await onlyRow()).toMatchObject({
      outcome: 'TEMPORARY_ERROR',
      request: JSON.stringify({ plate: 'A', municipality_code: 'x'.repeat(80) }),
    });
  });
});

it('A call that is written twice counts once', async () => {
  const flooding = await issueCredential();
  const DB = databaseDouble({
    around: async (run, sql) => {
      const result = await run();
      // It is written, and nobody hears of it: the service tries again.
      return writesCallLog(sql) ? Promise.reject(new Error('Network connection lost')) : result;
    },
  });
  await post({ plate: 'A' }, flooding.headers, new Service({ DB }));
  expect((await onlyRow()).request).toBe('{"plate":"A"}');
  expect(await counted(flooding.credentialId)).toMatchObject([{ request_bytes: '{"plate":"A"}'.length }]);
});
