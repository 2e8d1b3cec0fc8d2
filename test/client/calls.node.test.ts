import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { userAgentOf } from '../../clients/client/calls/user-agent.ts';
import { type Client, createClient } from '../../clients/client/index.ts';
import {
  cutShort,
  error,
  HEALTHY,
  hang,
  healthy,
  html,
  REQUEST_ID,
  type Reply,
  reset,
  ScriptedService,
} from './scripted-service.ts';

const TOKEN = 'a-token';
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await ScriptedService.start();
  client = createClient({ baseUrl: service.address, token: TOKEN, administratorToken: 'an-administrator' });
});
afterAll(() => service.stop());

describe('A call', () => {
  it('brings the answer and its request id', async () => {
    service.script(healthy);
    const result = await client.getHealth();
    expect(result).toMatchObject({ ok: true, answer: HEALTHY, requestId: REQUEST_ID });
  });

  it('puts what it is given into path, query and body, and names its token', async () => {
    service.script(error(422, 'INVALID_REQUEST'));
    await client.changeCredential({ credential_id: 'a/b', name: 'Barrier 7' });
    await client.listCredentials({ tenant: 'acme', limit: 3 });
    await client.checkPlate({ plate: 'AB 123 CD', area_code: 'P1', event: 'entry' });
    const [changed, listed, checked] = service.seen;
    expect(changed).toMatchObject({
      method: 'PATCH',
      url: '/api/v2/admin/credentials/a%2Fb',
      body: '{"name":"Barrier 7"}',
      headers: { authorization: 'Bearer an-administrator', 'content-type': 'application/json' },
    });
    expect(listed).toMatchObject({
      method: 'GET',
      url: '/api/v2/admin/credentials?tenant=acme&limit=3',
      body: '',
    });
    expect(checked?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it.each([
    ['no connection', reset],
    ['a failure of the service', error(500, 'TEMPORARY_ERROR')],
    ['a proxy’s page', html(502)],
    ['half an answer', cutShort(HEALTHY)],
  ])('is made again after %s', async (_, failure) => {
    service.script(failure, failure, healthy);
    expect(await client.getHealth()).toMatchObject({ ok: true });
    expect(service.seen).toHaveLength(3);
  });

  it.each([
    ['429, though it says when', error(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '1' }), 'limited'],
    ['422', error(422, 'INVALID_PLATE'), 'refused'],
    ['a redirect', html(302, { Location: 'https://portal.example/login' }), 'unavailable'],
  ])('is not made again after %s', async (_, refusal, failure) => {
    service.script(refusal, healthy);
    expect(await client.getHealth()).toMatchObject({ ok: false, failure });
    expect(service.seen).toHaveLength(1);
  });

  it('takes its token to no other place', async () => {
    const other = await ScriptedService.start();
    try {
      other.script(healthy);
      service.script(html(307, { Location: `${other.address}/api/v2/parking-entitlements/search` }));
      expect(await client.checkPlate({ plate: 'A1' })).toMatchObject({ code: 'REDIRECTED' });
      expect(other.seen).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it.each([
    ['fails', [error(500, 'TEMPORARY_ERROR')]],
    ['fails once, and then says nothing', [error(500, 'TEMPORARY_ERROR'), hang]],
  ])(
    'shares its time among all tries, and ends with what the service said, where it %s',
    async (_, replies) => {
      service.script(...replies);
      const startedAt = performance.now();
      const result = await client.getHealth({}, { budgetMs: 1_500 });
      expect(result).toMatchObject({ failure: 'unavailable', code: 'TEMPORARY_ERROR' });
      expect(service.seen.length).toBeGreaterThan(1);
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    },
  );

  it('ends in time when nobody answers, or never comes to an end, also with a fetch that knows of none', async () => {
    const endless: Reply = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('{"success":true,');
    };
    for (const reply of [hang, endless]) {
      service.script(reply);
      expect(await client.getHealth({}, { budgetMs: 150 })).toMatchObject({
        ...{ failure: 'unavailable', code: 'TIMED_OUT' },
      });
    }
    const fetch = () => new Promise<Response>(() => {});
    const deaf = createClient({ baseUrl: service.address, fetch, budgetMs: 100 });
    expect(await deaf.getHealth()).toMatchObject({ code: 'TIMED_OUT' });
  });

  it('ends when its caller says so, before and while it runs', async () => {
    service.script(hang);
    expect(await client.getHealth({}, { signal: AbortSignal.abort() })).toMatchObject({ code: 'ABORTED' });
    const controller = new AbortController();
    const running = client.getHealth({}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(await running).toMatchObject({ ok: false, failure: 'unavailable', code: 'ABORTED' });
  });

  it('that makes secrets is made once: those of a first try would be known to nobody', async () => {
    const body = { tenant: 'acme', name: 'x', scopes: ['report' as const], municipalities: ['H501'] };
    service.script(error(500, 'TEMPORARY_ERROR'), healthy);
    expect(await client.issueCredential(body)).toMatchObject({ failure: 'unavailable' });
    expect(service.seen).toHaveLength(1);
    service.script(reset, healthy);
    expect(await client.rotateCredential({ credential_id: 'c' })).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(service.seen).toHaveLength(1);
  });

  it('without its token is not made at all', async () => {
    service.script(healthy);
    const bare = createClient({ baseUrl: service.address });
    expect(await bare.checkPlate({ plate: 'A1' })).toMatchObject({
      failure: 'misconfigured',
      code: 'TOKEN_NOT_SET',
    });
    expect(await bare.getConfiguration({ municipality_code: 'H501' })).toMatchObject({
      code: 'TOKEN_NOT_SET',
    });
    expect(service.seen).toEqual([]);
  });

  it('never shows a token in what it says', async () => {
    service.script(reset);
    const result = await client.checkPlate({ plate: 'A1' }, { budgetMs: 100 });
    expect(JSON.stringify(result)).not.toContain(TOKEN);
  });
});

describe('What cannot be sent', () => {
  const circle: { plate?: unknown } = {};
  circle.plate = circle;
  const refused = { ok: false, failure: 'refused', code: 'ILL_FORMED_INPUT' };

  it.each([
    ['half a character in a body', () => client.checkPlate({ plate: 'AB\ud800' })],
    ['half a character in a path', () => client.getCall({ request_id: '\udc00' })],
    ['half a character in a query', () => client.getConfiguration({ municipality_code: 'H\ud83d' })],
    ['an object that holds itself', () => client.checkPlate(circle as { plate: string })],
    ['a number that JSON does not have', () => client.checkPlate({ plate: 1n as unknown as string })],
  ])('is refused here, and nothing is thrown: %s', async (_, call) => {
    service.script(healthy);
    expect(await call()).toMatchObject(refused);
    expect(service.seen).toEqual([]);
  });

  it('is not sent in a line of an import, which would store another text', async () => {
    service.script(healthy);
    const lines = [{ session_id: 'A' }, { session_id: 'B\ud800' }];
    const result = await client.importSessions({ lines });
    expect(result).toMatchObject({ ...refused, message: 'Line 2 is not well-formed Unicode.', nextLine: 1 });
    expect(await client.importSessions({ bytes: '{"plate":"\ud800"}' })).toMatchObject(refused);
    expect(await client.importSessions({ lines: [] }, { source_code: '\ud800' })).toMatchObject(refused);
    expect(service.seen).toEqual([]);
  });
});

describe('A client', () => {
  it('names itself and its version where it is not a page', async () => {
    service.script(healthy);
    await client.getHealth();
    const { version }: { version: string } = JSON.parse(readFileSync('clients/client/package.json', 'utf8'));
    expect(service.seen[0]?.headers['user-agent']).toBe(`parking-client/${version}`);
    expect(userAgentOf({ navigator: { userAgent: 'Cloudflare-Workers' } })).toBe(`parking-client/${version}`);
    expect(userAgentOf({ navigator: { userAgent: 'Mozilla/5.0' } })).toBeNull();
    expect(userAgentOf({})).toBeNull();
  });

  it.each([
    ['no address', { baseUrl: 'parking' }],
    ['plain HTTP to another machine', { baseUrl: 'http://parking.example' }],
    ['another protocol', { baseUrl: 'ftp://parking.example' }],
    ['a password in its address', { baseUrl: 'https://me:secret@parking.example' }],
    ['a token that is two', { baseUrl: 'https://parking.example', token: 'one two' }],
    ['an empty token', { baseUrl: 'https://parking.example', token: ' ' }],
  ])('is not made with %s', (_, settings) => {
    expect(() => createClient(settings)).toThrow(TypeError);
  });

  it('does not repeat a wrong token in its error', () => {
    expect(() => createClient({ baseUrl: 'https://parking.example', token: 'se cret' })).not.toThrow('cret');
  });

  it('takes a token with the line end of its file, and an address with a path', async () => {
    service.script(healthy);
    const behind = createClient({ baseUrl: `${service.address}/parking/`, token: `${TOKEN}\n` });
    await behind.checkPlate({ plate: 'A1' });
    expect(service.seen[0]).toMatchObject({
      url: '/parking/api/v2/parking-entitlements/search',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  });
});
