import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { installInObject } from '../../src/serving/access/credential-objects.ts';
import { readCredentialRecord } from '../../src/serving/access/credentials-table.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble, writesCallLog } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { optionsLog } from './call-log-support.ts';
import { NOW } from './support.ts';

const { credential, onlyRow, lookUp, post } = optionsLog();

describe('The call log of the options query holds a refused call as well:', () => {
  const sent = { plate: 'A', terminal_code: 'T-1' };
  it.each<[string, number, () => Promise<Record<string, string>>, object]>([
    ['TOKEN_EXPIRED', 401, async () => (await issueCredential({ expiresAt: 1 })).headers, sent],
    ['TOKEN_REVOKED', 401, async () => (await issueCredential({ revokedAt: 1 })).headers, sent],
    ['SCOPE_NOT_ALLOWED', 403, async () => (await issueCredential({ scopes: [] })).headers, sent],
    ['IP_NOT_ALLOWED', 403, async () => (await issueCredential({ ipAllowlist: ['::1'] })).headers, sent],
    [
      'MUNICIPALITY_NOT_ALLOWED',
      403,
      async () => credential().headers,
      { ...sent, municipality_code: 'NOSUB' },
    ],
    ['SERVICE_DISABLED', 403, async () => (await issueCredential({}, [2])).headers, sent],
    ['INVALID_CONTENT_TYPE', 415, async () => ({ ...credential().headers, 'Content-Type': 'text/x' }), sent],
    ['INVALID_REQUEST', 422, async () => credential().headers, { plate: 1 }],
    ['INVALID_PLATE', 422, async () => credential().headers, { plate: '' }],
    ['MUNICIPALITY_REQUIRED', 422, async () => (await issueCredential({}, [1, 2])).headers, sent],
  ])('%s', async (outcome, status, headers, body) => {
    const answer = await post(body, await headers());
    expect(answer.status).toBe(status);
    expect(await lookUp(answer.body.request_id)).toMatchObject({
      outcome,
      http_status: status,
      credential_id: expect.any(String),
      tenant: 'acme',
      request: body,
      response: answer.body,
    });
  });

  it('one that comes to light during its admission, with the refusal that was sent', async () => {
    const { credentialId, headers } = await issueCredential();
    await post(sent, headers);
    await env.DB.batch([
      env.DB.prepare('update credentials set revoked_at = 1, version = 2 where id = ?').bind(credentialId),
      env.DB.prepare('delete from calls'),
    ]);
    const record = await readCredentialRecord(env.DB, credentialId);
    await installInObject(env, record ?? expect.fail('the credential is not there'));
    const answer = await post(sent, headers);
    const row = await onlyRow();
    expect([answer.status, row.outcome]).toEqual([401, 'TOKEN_REVOKED']);
    expect(row).toMatchObject({ request: JSON.stringify(sent), response: JSON.stringify(answer.body) });
  });

  it('a body that is no JSON, as the text that it was', async () => {
    const answer = await post('{"plate":');
    expect(await lookUp(answer.body.request_id)).toMatchObject({
      outcome: 'INVALID_JSON',
      request: '{"plate":',
      response: answer.body,
    });
  });

  it('no body at all', async () => {
    await post('');
    expect(await onlyRow()).toMatchObject({ outcome: 'INVALID_JSON', request: '' });
  });

  it('a body that is not a text, as far as it can be read', async () => {
    await post(new Uint8Array([0x41, 0x00, 0xff, 0x42]));
    expect(await onlyRow()).toMatchObject({
      outcome: 'INVALID_JSON',
      request: 'A?B',
    });
  });

  it.each<[string, number[], string]>([
    ['a character that is cut off', [0x41, 0xe2, 0x82], 'A?'],
    ['bytes that begin nothing', [0x80, 0xbf, 0xc0, 0xff, 0x42], '????B'],
    ['a sign that stands for what could not be read elsewhere', [0xef, 0xbf, 0xbd, 0xff], '??'],
  ])('%s, in no more room than its bytes', async (_, bytes, kept) => {
    await post(new Uint8Array(bytes));
    expect((await onlyRow()).request).toBe(kept);
  });

  it('a failure of ours', async () => {
    const DB = databaseDouble({
      around: (run, sql) => (writesCallLog(sql) ? run() : Promise.reject(new Error('D1 is away'))),
    });
    const answer = await post(sent, credential().headers, new Service({ DB }));
    expect(await onlyRow()).toMatchObject({
      outcome: 'TEMPORARY_ERROR',
      request: JSON.stringify(sent),
      response: JSON.stringify(answer.body),
    });
  });
});

describe('The call log of the options query, of a call that is refused before its body has arrived,', () => {
  /** The log's way into the database needs the rest of the two seconds. */
  const MAX_WAIT_MS = 1_750;

  /** Calls, and returns once the call is refused and the log waits for its body. */
  async function refusedWithoutBody() {
    const { headers } = await issueCredential({ revokedAt: 1 });
    const log = vi.spyOn(console, 'log');
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: NOW });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const answer = post(readable, headers);
    // The admission waits a moment for the municipality that the body may name.
    let afterMs = 0;
    for (; log.mock.calls.length === 0; afterMs++) await vi.advanceTimersByTimeAsync(1);
    return { answer, afterMs, body: writable.getWriter() };
  }

  it.each([300, 1_500, MAX_WAIT_MS - 1])('waits for it: it comes after %i ms', async (arrivesAfterMs) => {
    const { answer, body, afterMs } = await refusedWithoutBody();
    await vi.advanceTimersByTimeAsync(arrivesAfterMs - afterMs);
    body.write(new TextEncoder().encode('{"plate":"A"}')).catch(() => {});
    body.close().catch(() => {});
    await answer;
    expect(await onlyRow()).toMatchObject({ outcome: 'TOKEN_REVOKED', request: '{"plate":"A"}' });
  });

  it('answers within two seconds where the body never comes, and has none', async () => {
    const { answer, afterMs } = await refusedWithoutBody();
    await vi.advanceTimersByTimeAsync(MAX_WAIT_MS - afterMs);
    expect((await answer).body.error).toMatchObject({ code: 'TOKEN_REVOKED' });
    expect(await onlyRow()).toMatchObject({ request: null, response: expect.any(String) });
  });
});
