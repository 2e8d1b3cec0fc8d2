import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CredentialOperation, credentialOperations } from '../suites/operations.ts';
import type { Suite } from '../suites/suite.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { brokenDatabase, brokenObjects } from '../support/doubles.ts';
import { configurationRow } from '../support/journal.ts';
import { CITY, ROME, seed, TENANT } from '../support/seed.ts';
import { type Answer, bearer, Service } from '../support/service.ts';
import { expectEnvelope, expectRefusal } from './envelope.ts';

const PAST = 1_000;

const WORLD = {
  ...CITY,
  tenants: [TENANT, { id: 2, code: 'off', name: 'Off', active: false }],
  municipalities: [
    ROME,
    { ...ROME, id: 2, code: 'INACTIVE', active: false },
    { ...ROME, id: 3, code: 'ANOTHER' },
    { ...ROME, id: 4, code: 'OFF', tenantId: 2 },
  ],
  journal: [configurationRow(0)],
};

/** A test of the operations that a condition holds for: the others have no such test. */
const itIf = (condition: boolean) => (name: string, test: () => Promise<void>) => {
  if (condition) {
    it(name, test, 10_000);
  }
};

/**
 * What every operation that a credential calls does alike: its envelope, the order of its refusals, its budget, its
 * municipality.
 */
export function describeConformance(suite: Suite): void {
  beforeAll(() => seed(WORLD));

  describe.each(credentialOperations(suite))('The operation $name', (operation) => {
    const { path, scope, budget, contentType, body, maxBytes } = operation;
    const [pathAlone = ''] = path.split('?');
    const all = operation.tokenHeaders === 'all';
    const service = new Service({}, 0, suite);
    let credential: TestCredential;

    beforeAll(async () => {
      credential = await issueCredential({ scopes: [scope] });
    });

    const send = (
      headers: Record<string, string>,
      changed: Partial<{ body: unknown; method: string }> = {},
      to = service,
    ) =>
      to.call(path, {
        method: 'POST',
        body,
        ...changed,
        headers: { 'Content-Type': contentType, ...headers },
      });
    const isUsedUp = async ({ headers }: TestCredential) => (await send(headers)).status === 429;
    /** A credential with a budget of one call: tells whether a call before has spent it. */
    const oneCall = (changed = {}) => issueCredential({ scopes: [scope], rateLimit: 1, ...changed });

    describe('answers', () => {
      it('a valid call, with the envelope and the budget in its headers', async () => {
        const answer = await send(credential.headers);
        expect(answer.status).toBe(200);
        expectEnvelope(answer);
        expect(answer.headers.get('RateLimit-Policy')).toBe(`"${budget}";q=10000;w=60`);
        expect(answer.headers.get('RateLimit')).toMatch(new RegExp(`^"${budget}";r=\\d+;t=\\d+$`));
      });

      it('with a request id of its own, whatever the client sends', async () => {
        const sent = '11111111-1111-4111-8111-111111111111';
        const answer = await send({ ...credential.headers, 'X-Request-Id': sent });
        expect(answer.body.request_id).not.toBe(sent);
        expectEnvelope(answer);
      });

      it.each(['it', 'it-IT, en;q=0.5', 'fr, it;q=0.8, en;q=0.7'])('in Italian for %s', async (language) => {
        const answer = await send({ 'Accept-Language': language });
        expect(answer.headers.get('Content-Language')).toBe('it');
        expect(answer.body).toMatchObject({
          error: { message: expect.stringContaining('Nessuna credenziale') },
        });
      });

      it.each(['', 'en', 'fr', 'it;q=0', 'en-GB, it;q=0.9', '*', 'it;q=0.1, en;q=0.2', 'it;q=0.1, *;q=0.9'])(
        'in English for %j',
        async (language) => {
          const answer = await send({ 'Accept-Language': language });
          expect(answer.headers.get('Content-Language')).toBe('en');
          expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('No credential') } });
        },
      );
    });

    describe('refuses, in this order,', () => {
      it('a path that is not quite its own with 404', async () => {
        expectRefusal(await service.post(`${pathAlone}/`, {}), 404, 'NOT_FOUND');
        expectRefusal(await service.post(`${pathAlone}x`, {}, credential.headers), 404, 'NOT_FOUND');
      });

      it.each(['GET', 'PUT', 'DELETE', 'PATCH', ...(operation.crossOrigin ? [] : ['OPTIONS'])])(
        'the method %s with 405 and Allow, before any credential',
        async (method) => {
          const answer = await service.call(path, { method });
          expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
          expect(answer.headers.get('Allow')).toBe('POST');
        },
      );

      itIf(operation.crossOrigin)('no preflight, of whatever origin, and speaks to every page', async () => {
        const preflight = await service.call(path, {
          method: 'OPTIONS',
          headers: { Origin: 'https://a.test' },
        });
        expect([preflight.status, preflight.body]).toEqual([204, null]);
        expect(preflight.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
        for (const answer of [preflight, await send(credential.headers), await send({})]) {
          expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
        }
      });

      itIf(!operation.crossOrigin)('to speak to a page of another origin', async () => {
        const answer = await send({ ...credential.headers, Origin: 'https://a.test' });
        expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
      });

      it('no credential with 401 and a bare challenge', async () => {
        for (const headers of [{}, { Authorization: 'Bearer' }, { Authorization: 'bearer  ' }]) {
          const answer = await send(headers, { body: 'no JSON' });
          expectRefusal(answer, 401, 'TOKEN_MISSING');
          expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="parking-entitlements"');
        }
      });

      it('what is not one of our tokens with 401, and asks neither D1 nor an object', async () => {
        const unreachable = new Service({ DB: brokenDatabase(), CREDENTIALS: brokenObjects() }, 0, suite);
        const { accessToken, apiKey } = credential;
        const mistyped = accessToken.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
        const refused = [
          bearer('x'),
          bearer(mistyped),
          bearer(`${accessToken} `.repeat(2)),
          bearer(apiKey),
          bearer('admin-token-of-the-tests-long-enough'),
          { Authorization: `Basic ${accessToken}` },
          { Authorization: accessToken },
          ...(all ? [{ 'X-Service-Token': apiKey }, { 'X-Api-Key': accessToken }, { 'X-Api-Key': 'x' }] : []),
        ];
        for (const headers of refused) {
          const answer = await send(headers, { body: 'no JSON' }, unreachable);
          expectRefusal(answer, 401, 'TOKEN_INVALID');
          expect(answer.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
        }
      });

      it('a token of a credential that is gone, or whose secret is another one', async () => {
        const gone = await issueCredential();
        await env.DB.prepare('update credentials set access_token_hash = ?, version = 2 where id = ?')
          .bind('0'.repeat(64), gone.credentialId)
          .run();
        // What the administrator writes reaches the object as well.
        const { installInObject } = await import('../../src/access/credential-objects.ts');
        const { readCredentialRecord } = await import('../../src/access/credentials-table.ts');
        const record = await readCredentialRecord(env.DB, gone.credentialId);
        await installInObject(env, record ?? expect.fail('the credential is not there'));
        expectRefusal(await send(gone.headers), 401, 'TOKEN_INVALID');
      });

      it('an expired and a revoked credential with 401, told apart', async () => {
        const expired = await oneCall({ expiresAt: PAST });
        const revoked = await oneCall({ revokedAt: PAST, expiresAt: PAST });
        expectRefusal(await send(expired.headers, { body: 'no JSON' }), 401, 'TOKEN_EXPIRED');
        expectRefusal(await send(revoked.headers, { body: 'no JSON' }), 401, 'TOKEN_REVOKED');
      });

      it('an address before a scope, and both before the budget and the body, with 403', async () => {
        const elsewhere = await oneCall({ ipAllowlist: ['198.51.100.0/24'], scopes: [] });
        const scopeless = await oneCall({ scopes: [] });
        expectRefusal(await send(elsewhere.headers, { body: 'no JSON' }), 403, 'IP_NOT_ALLOWED');
        const answer = await send(scopeless.headers, { body: 'no JSON' });
        expectRefusal(answer, 403, 'SCOPE_NOT_ALLOWED');
        expect(answer.headers.get('WWW-Authenticate')).toContain('error="insufficient_scope"');
        expectRefusal(await send(scopeless.headers), 403, 'SCOPE_NOT_ALLOWED');
      });

      it('believes no address but CF-Connecting-IP', async () => {
        const { headers } = await oneCall({ ipAllowlist: ['198.51.100.7'] });
        const forwarded = {
          'X-Forwarded-For': '198.51.100.7',
          Forwarded: 'for=198.51.100.7',
          'X-Real-IP': '198.51.100.7',
        };
        expectRefusal(await send({ ...headers, ...forwarded }), 403, 'IP_NOT_ALLOWED');
        expect((await send({ ...headers, 'CF-Connecting-IP': '::ffff:198.51.100.7' })).status).toBe(200);
      });

      it('a call over the budget with 429 before the content type, with an honest Retry-After', async () => {
        const { headers } = await oneCall();
        await send(headers);
        const answer = await send({ ...headers, 'Content-Type': 'text/plain' });
        expectRefusal(answer, 429, 'RATE_LIMIT_EXCEEDED');
        const retryAfter = Number(answer.headers.get('Retry-After'));
        expect(retryAfter).toBeGreaterThanOrEqual(59);
        expect(retryAfter).toBeLessThanOrEqual(60);
        expect(answer.headers.get('RateLimit')).toBe(`"${budget}";r=0;t=${retryAfter}`);
        expect(answer.headers.get('RateLimit-Policy')).toBe(`"${budget}";q=1;w=60`);
      });

      it.each([
        'text/plain',
        'application/jsonx',
        '',
        'CONTENT; charset=iso-8859-1',
        'CONTENT; charset=utf-8; charset=utf-16',
      ])('the content type %j with 415, before the size', async (type) => {
        const spent = await oneCall();
        const answer = await send(
          { ...spent.headers, 'Content-Type': type.replace('CONTENT', contentType) },
          { body: new Uint8Array(maxBytes + 1) },
        );
        expectRefusal(answer, 415, 'INVALID_CONTENT_TYPE');
        expect(await isUsedUp(spent)).toBe(true);
      });

      it.each(['CONTENT;charset=UTF-8', 'CONTENT ; charset="utf-8"'])(
        'but not the content type %j',
        async (type) => {
          const answer = await send({
            ...credential.headers,
            'Content-Type': type.replace('CONTENT', contentType),
          });
          expect(answer.status).toBe(200);
        },
      );

      it('a body one byte too large with 413, announced or streamed, before its JSON', async () => {
        const tooLarge = new Uint8Array(maxBytes + 1).fill(32);
        const streamed = new Blob([tooLarge]).stream();
        for (const sent of [tooLarge, streamed]) {
          const spent = await oneCall();
          expectRefusal(await send(spent.headers, { body: sent }), 413, 'PAYLOAD_TOO_LARGE');
          expect(await isUsedUp(spent)).toBe(true);
        }
      });

      it('takes a body of just the largest size', async () => {
        const padded = body + ' '.repeat(maxBytes - body.length);
        expect((await send(credential.headers, { body: padded })).status).toBe(200);
        expect((await send(credential.headers, { body: new Blob([padded]).stream() })).status).toBe(200);
      });

      it('a body that is no UTF-8 with 400', async () => {
        const spent = await oneCall();
        expectRefusal(
          await send(spent.headers, { body: new Uint8Array([0x7b, 0xff, 0x7d]) }),
          400,
          'INVALID_JSON',
        );
        expect(await isUsedUp(spent)).toBe(true);
      });

      it('a municipality: unknown, inactive, and of others, with one and the same answer', async () => {
        const { headers } = await issueCredential({ scopes: [scope] }, [1, 2]);
        const refusals = await Promise.all(
          ['NONE', 'INACTIVE', 'ANOTHER', 'OFF'].map((code) => inMunicipality(operation, headers, code)),
        );
        for (const answer of refusals) {
          expectRefusal(answer, 403, 'MUNICIPALITY_NOT_ALLOWED');
          expect(withoutId(answer)).toEqual(withoutId(refusals[0] as Answer));
        }
      });

      it('takes the only active municipality when none is named', async () => {
        const { headers } = await issueCredential({ scopes: [scope] }, [1, 2]);
        expect((await send(headers)).status).toBe(200);
      });

      it('no municipality where the credential has more than one that is active with 422', async () => {
        const { headers } = await issueCredential({ scopes: [scope] }, [1, 3]);
        expectRefusal(await send(headers), 422, 'MUNICIPALITY_REQUIRED');
      });

      it('no municipality where the credential has none that is active with 403', async () => {
        const { headers } = await issueCredential({ scopes: [scope] }, [2]);
        expectRefusal(await send(headers), 403, 'MUNICIPALITY_NOT_ALLOWED');
      });

      it('a disabled tenant with 403, before any municipality', async () => {
        const { headers } = await issueCredential({ scopes: [scope], tenantId: 2 }, [4]);
        expectRefusal(await send(headers), 403, 'TENANT_DISABLED');
        expectRefusal(await inMunicipality(operation, headers, 'NONE'), 403, 'TENANT_DISABLED');
      });
    });

    describe('takes its credential', () => {
      it('as a bearer token, whatever the case of the scheme', async () => {
        for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
          expect((await send({ Authorization: `${scheme} ${credential.accessToken}` })).status).toBe(200);
        }
      });

      itIf(all)('in X-Service-Token and X-Api-Key as well', async () => {
        expect((await send({ 'X-Service-Token': credential.accessToken })).status).toBe(200);
        expect((await send({ 'X-Api-Key': credential.apiKey })).status).toBe(200);
      });

      itIf(all)('from Authorization where several are sent, then from X-Service-Token', async () => {
        const { accessToken, apiKey } = credential;
        const good = { 'X-Service-Token': accessToken, 'X-Api-Key': apiKey };
        expectRefusal(await send({ ...good, Authorization: 'Bearer x' }), 401, 'TOKEN_INVALID');
        expectRefusal(await send({ ...good, 'X-Service-Token': 'x' }), 401, 'TOKEN_INVALID');
        expect((await send({ ...good, 'X-Api-Key': 'x' })).status).toBe(200);
      });

      itIf(!all)('from Authorization alone', async () => {
        expectRefusal(await send({ 'X-Service-Token': credential.accessToken }), 401, 'TOKEN_MISSING');
        expectRefusal(await send({ 'X-Api-Key': credential.apiKey }), 401, 'TOKEN_MISSING');
      });
    });

    it('takes no budget for a call that it refuses before the budget', async () => {
      const spared = await oneCall({ ipAllowlist: ['203.0.113.7'] });
      await send({ ...spared.headers, 'CF-Connecting-IP': '203.0.113.8' });
      await send(bearer(spared.accessToken.replace(/.$/, 'x')));
      expect(await isUsedUp(spared)).toBe(false);
      expect(await isUsedUp(spared)).toBe(true);
    });

    async function inMunicipality(
      { path: at, body: sent }: CredentialOperation,
      headers: Record<string, string>,
      code: string,
    ) {
      const isJson = contentType === 'application/json';
      const url = isJson ? at : `${at}${at.includes('?') ? '&' : '?'}municipality_code=${code}`;
      return service.call(url, {
        method: 'POST',
        body: isJson ? JSON.stringify({ ...JSON.parse(sent), municipality_code: code }) : sent,
        headers: { 'Content-Type': contentType, ...headers },
      });
    }
  });
}

/** An answer without what is its own: the id, and what is left of the budget. */
function withoutId({ status, headers, body }: Answer) {
  const own = ['x-request-id', 'ratelimit'];
  return { status, headers: [...headers].filter(([name]) => !own.includes(name)), error: body.error };
}
