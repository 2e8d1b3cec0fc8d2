import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { installInObject } from '../../src/access/credential-objects.ts';
import { readCredentialRecord } from '../../src/access/credentials-table.ts';
import { never } from '../support/afterwards.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { brokenObjects, databaseDouble } from '../support/doubles.ts';
import { seed } from '../support/seed.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';
import { asker, NOW, OFFICE, PATH } from './support.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };
const service = new Service();
let credential: TestCredential;
const ask = asker(service, () => credential);

beforeAll(async () => {
  await seed(OFFICE);
  credential = await issueCredential();
});

beforeEach(async () => {
  await env.DB.prepare('delete from call_log').run();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  return () => vi.useRealTimers();
});
afterEach(() => vi.restoreAllMocks());

interface Row {
  readonly outcome: string;
  readonly request: string | null;
  readonly response: string | null;
}

const rows = async () => (await env.DB.prepare('select * from call_log').all<Row>()).results;
/** The only row, at the moment of the answer: nothing that goes on after it has been waited for. */
const onlyRow = async () => {
  const [row, ...others] = await rows();
  expect(others).toEqual([]);
  return row ?? expect.fail('there is no row');
};
const lookUp = async (requestId: unknown) =>
  (await service.call(`/api/v2/admin/calls/${String(requestId)}`, { headers: ADMIN })).body.call;
const post = (body: unknown, headers: Record<string, string> = credential.headers, to = service) =>
  to.call(PATH, { method: 'POST', body, headers: { ...JSON_BODY, ...headers } });

/** What the log says of a call that was answered with plans, its bodies apart. */
const loggedOffer = () => ({
  at: new Date(NOW).toISOString(),
  operation: 'subscription_options',
  credential_id: credential.credentialId,
  tenant: 'acme',
  municipality_code: 'H501',
  address: '203.0.113.7',
  http_status: 200,
  outcome: 'OPTIONS_AVAILABLE',
  duration_ms: expect.any(Number),
  action: null,
  target: null,
});

describe('The call log of the options query', () => {
  it('holds the whole call before it is answered, and gives it back by its id', async () => {
    const sent = { plate: 'act-ive', terminal_code: 'T-1', anything: [1, { else: null }] };
    const { body } = await ask(sent);
    expect(await lookUp(body.request_id)).toEqual({
      request_id: body.request_id,
      ...loggedOffer(),
      request: sent,
      response: body,
    });
  });

  it('keeps the request as it was sent, to the character', async () => {
    const sent = '{ "plate" : "NO\\u0042ODY", "n": 12345678901234567890, "e": "\\u00e9\\\\u0041\\n" }';
    await post(sent);
    expect((await onlyRow()).request).toBe(sent.replace('\\u0042', 'B'));
  });

  it('says how long the call took', async () => {
    const DB = databaseDouble({
      around: async (run, where) => {
        await (where === undefined ? undefined : scheduler.wait(60));
        return run();
      },
    });
    await post({ plate: 'A' }, credential.headers, new Service({ DB }));
    expect(await onlyRow()).toMatchObject({ duration_ms: expect.toSatisfy((ms: number) => ms >= 55) });
  });

  describe('holds a refused call as well:', () => {
    const sent = { plate: 'A', terminal_code: 'T-1' };
    it.each<[string, number, () => Promise<Record<string, string>>, object]>([
      ['TOKEN_EXPIRED', 401, async () => (await issueCredential({ expiresAt: 1 })).headers, sent],
      ['TOKEN_REVOKED', 401, async () => (await issueCredential({ revokedAt: 1 })).headers, sent],
      ['SCOPE_NOT_ALLOWED', 403, async () => (await issueCredential({ scopes: [] })).headers, sent],
      ['IP_NOT_ALLOWED', 403, async () => (await issueCredential({ ipAllowlist: ['::1'] })).headers, sent],
      [
        'MUNICIPALITY_NOT_ALLOWED',
        403,
        async () => credential.headers,
        { ...sent, municipality_code: 'NOSUB' },
      ],
      ['SERVICE_DISABLED', 403, async () => (await issueCredential({}, [2])).headers, sent],
      ['INVALID_CONTENT_TYPE', 415, async () => ({ ...credential.headers, 'Content-Type': 'text/x' }), sent],
      ['INVALID_REQUEST', 422, async () => credential.headers, { plate: 1 }],
      ['INVALID_PLATE', 422, async () => credential.headers, { plate: '' }],
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

    it('one that comes to light beside its admission, with the refusal that was sent', async () => {
      const { credentialId, headers } = await issueCredential();
      await post(sent, headers);
      await env.DB.batch([
        env.DB.prepare('update credentials set revoked_at = 1, version = 2 where id = ?').bind(credentialId),
        env.DB.prepare('delete from call_log'),
      ]);
      const { installInObject } = await import('../../src/access/credential-objects.ts');
      const { readCredentialRecord } = await import('../../src/access/credentials-table.ts');
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

    it('a body that is no text, as far as it can be read', async () => {
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

    it('of one refused for its credential the first 2 KiB, whole characters alone', async () => {
      const { headers } = await issueCredential({ revokedAt: 1 });
      await post('€'.repeat(20_000), headers);
      expect(await onlyRow()).toMatchObject({ outcome: 'TOKEN_REVOKED', request: '€'.repeat(682) });
    });

    it('of one refused for its municipality the first 2 KiB, also where all of it was read', async () => {
      await post(JSON.stringify({ ...sent, municipality_code: 'NOSUB', x: 'x'.repeat(10_000) }));
      const { outcome, request } = await onlyRow();
      expect([outcome, request?.length]).toEqual(['MUNICIPALITY_NOT_ALLOWED', 2_048]);
    });

    it.each(['announced', 'streamed'])('of a body too large its first 64 KiB, %s', async (how) => {
      const tooLarge = 'x'.repeat(70_000);
      await post(how === 'announced' ? tooLarge : new Blob([tooLarge]).stream());
      const { outcome, request } = await onlyRow();
      expect([outcome, request?.length]).toEqual(['PAYLOAD_TOO_LARGE', 65_536]);
    });

    it('a failure of ours', async () => {
      const DB = databaseDouble({
        around: (run, where) => (where === undefined ? run() : Promise.reject(new Error('D1 is away'))),
      });
      const answer = await post(sent, credential.headers, new Service({ DB }));
      expect(await onlyRow()).toMatchObject({
        outcome: 'TEMPORARY_ERROR',
        request: JSON.stringify(sent),
        response: JSON.stringify(answer.body),
      });
    });
  });

  describe('of a call that is refused before its body has arrived', () => {
    /** The log's way into the database needs the rest of the two seconds. */
    const WAITS_AT_MOST_MS = 1_750;

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

    it.each([300, 1_500, WAITS_AT_MOST_MS - 1])(
      'waits for it: it comes after %i ms',
      async (arrivesAfterMs) => {
        const { answer, body, afterMs } = await refusedWithoutBody();
        await vi.advanceTimersByTimeAsync(arrivesAfterMs - afterMs);
        body.write(new TextEncoder().encode('{"plate":"A"}')).catch(() => {});
        body.close().catch(() => {});
        await answer;
        expect(await onlyRow()).toMatchObject({ outcome: 'TOKEN_REVOKED', request: '{"plate":"A"}' });
      },
    );

    it('answers within two seconds where the body never comes, and has none', async () => {
      const { answer, afterMs } = await refusedWithoutBody();
      await vi.advanceTimersByTimeAsync(WAITS_AT_MOST_MS - afterMs);
      expect((await answer).body.error).toMatchObject({ code: 'TOKEN_REVOKED' });
      expect(await onlyRow()).toMatchObject({ request: null, response: expect.any(String) });
    });
  });

  it('leaves what strangers could flood it with to the structured log', async () => {
    const log = vi.spyOn(console, 'log');
    const { headers } = await issueCredential({ rateLimit: 1 });
    await post({ plate: 'A' }, { Authorization: '' });
    await post({ plate: 'A' }, bearer('x'));
    await service.call(`${PATH}/x`, { method: 'POST' });
    await service.call(PATH);
    await post({ plate: 'A' }, headers);
    await post({ plate: 'A' }, headers);
    expect(await onlyRow()).toMatchObject({ outcome: 'SUBSCRIPTION_NOT_FOUND' });
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)).outcome)).toEqual([
      'TOKEN_MISSING',
      'TOKEN_INVALID',
      'NOT_FOUND',
      'METHOD_NOT_ALLOWED',
      'SUBSCRIPTION_NOT_FOUND',
      'RATE_LIMIT_EXCEEDED',
    ]);
    expect(JSON.stringify(log.mock.calls)).not.toContain('plate"');
  });

  it('holds no token of a body in another encoding', async () => {
    const utf16 = new Uint8Array([...credential.accessToken].flatMap((letter) => [letter.charCodeAt(0), 0]));
    await post(utf16);
    const row = await onlyRow();
    expect(row).toMatchObject({ outcome: 'INVALID_JSON', request: 'pev_***' });
  });

  it('names no municipality that the credential has no more', async () => {
    const moved = await issueCredential();
    const service = new Service();
    const ask = () => service.post(PATH, { plate: 'ACTIVE', municipality_code: 'H501' }, moved.headers);
    expect((await ask()).status).toBe(200);
    await env.DB.batch([
      env.DB.prepare('delete from credential_municipalities where credential_id = ?').bind(
        moved.credentialId,
      ),
      env.DB.prepare('update credentials set version = 2 where id = ?').bind(moved.credentialId),
    ]);
    await installInObject(
      env,
      (await readCredentialRecord(env.DB, moved.credentialId)) ?? expect.fail('gone'),
    );
    await env.DB.prepare('delete from call_log').run();
    expect((await ask()).status).toBe(403);
    expect(await onlyRow()).toMatchObject({ outcome: 'MUNICIPALITY_NOT_ALLOWED', municipality_code: null });
  });

  it('holds no token, wherever one was put and however it was written', async () => {
    const { accessToken, apiKey } = credential;
    const clipped = accessToken.slice(0, 60);
    const escaped = [...accessToken]
      .map((character) => `\\u00${character.charCodeAt(0).toString(16)}`)
      .join('');
    const bodies = [
      `{"plate":"A","terminal_code":"${clipped}","x":{"${apiKey}":["é${accessToken}\\n"]}}`,
      `{"plate":"A","y":"${escaped}","z":"${escaped.replaceAll('\\', '\\\\')}"}`,
      `no JSON, ${accessToken} ${escaped}`,
      `${'x'.repeat(65_500)}${accessToken}`,
    ];
    const written = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
    for (const body of bodies) {
      await post(body);
    }
    const all = await rows();
    expect(all).toHaveLength(4);
    expect(JSON.stringify([all, written.map(({ mock }) => mock.calls)])).not.toMatch(/pev_(?!\*)/);
    expect(JSON.parse(all[0]?.request ?? '')).toEqual({
      plate: 'A',
      terminal_code: 'pev_***',
      x: { 'pev_***': ['épev_***\n'] },
    });
    // The terminal is answered as it was sent, and written down masked.
    expect(JSON.parse(all[0]?.response ?? '')).toMatchObject({ terminal_code: 'pev_***' });
    expect(JSON.parse(all[1]?.request ?? '')).toMatchObject({ y: 'pev_***' });
  });
});

describe('When the call log fails, the meter gets its answer', () => {
  const sent = { plate: 'ACTIVE', terminal_code: 'T-1' };

  /** A database whose reading works, and whose writing does what it is told, try by try. */
  function writing(...tries: ('fails' | 'hangs')[]) {
    const hanging = Promise.withResolvers<void>();
    let count = 0;
    const DB = databaseDouble({
      around: (run, where) => {
        const told = where === undefined ? tries[count++] : undefined;
        if (told === 'fails') return Promise.reject(new Error('D1 is away'));
        if (told === undefined) return run();
        hanging.resolve();
        return never();
      },
    });
    return { DB, count: () => count, hanging: hanging.promise };
  }
  /** Lets so much time pass from where the call hangs, if it does; and no more until it is answered. */
  async function answerWithin(
    milliseconds: number,
    { DB, hanging }: { DB: D1Database; hanging: Promise<void> },
  ) {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: NOW });
    const answer = post(sent, credential.headers, new Service({ DB }));
    await Promise.race([answer, hanging]);
    await vi.advanceTimersByTimeAsync(milliseconds);
    return answer;
  }
  const lostLines = (error: { mock: { calls: unknown[][] } }) =>
    error.mock.calls.map(([line]) => JSON.parse(String(line)));

  it.each([
    ['fails once', 'fails', 0],
    ['hangs for a second', 'hangs', 1_000],
  ] as const)('and its row where it %s: it is tried twice', async (_, first, ms) => {
    const error = vi.spyOn(console, 'error');
    const { count, ...database } = writing(first);
    const answer = await answerWithin(ms, database);
    expect(answer.body.result_code).toBe('OPTIONS_AVAILABLE');
    expect(count()).toBe(2);
    expect((await onlyRow()).request).toBe(JSON.stringify(sent));
    expect(error).not.toHaveBeenCalled();
  });

  it.each([
    ['fails twice', 'fails', 'fails'],
    ['fails, then hangs', 'fails', 'hangs'],
    ['hangs, then fails', 'hangs', 'fails'],
    ['hangs for good', 'hangs', 'hangs'],
  ] as const)(
    'and the structured log the whole call, within two seconds, where it %s',
    async (_, first, second) => {
      const error = vi.spyOn(console, 'error');
      const { count, ...database } = writing(first, second);
      const answer = await answerWithin(2_000, database);
      expect(answer.status).toBe(200);
      expect(count()).toBe(2);
      expect(await rows()).toEqual([]);
      expect(lostLines(error)).toEqual([
        {
          event: 'call_log_lost',
          request_id: answer.body.request_id,
          ...loggedOffer(),
          request: JSON.stringify(sent),
          response: JSON.stringify(answer.body),
          message: expect.any(String),
        },
      ]);
    },
  );

  it('also where the answer is a failure that took all of its time', async () => {
    const error = vi.spyOn(console, 'error');
    const hanging = Promise.withResolvers<void>();
    const around = () => {
      hanging.resolve();
      return never();
    };
    const DB = databaseDouble({ around });
    const answer = await answerWithin(2_000, { DB, hanging: hanging.promise });
    expect(answer.body.error).toMatchObject({ code: 'TEMPORARY_ERROR' });
    expect(lostLines(error).map(({ event, outcome }) => [event, outcome])).toContainEqual([
      'call_log_lost',
      'TEMPORARY_ERROR',
    ]);
  });

  it('and the log the call, where it is the credential’s object that is away', async () => {
    const answer = await post(sent, credential.headers, new Service({ CREDENTIALS: brokenObjects() }));
    expect(answer.status).toBe(500);
    expect(await onlyRow()).toMatchObject({ outcome: 'TEMPORARY_ERROR', request: JSON.stringify(sent) });
  });
});
