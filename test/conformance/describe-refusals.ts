import { describe, expect, it } from 'vitest';
import { changeOf, issueCredential } from '../support/credential.ts';
import { brokenDatabase, brokenObjects } from '../support/doubles.ts';
import { bearer, Service } from '../support/service.ts';
import type { Caller } from './caller.ts';
import { describeBody } from './describe-body.ts';
import { describeMunicipality } from './describe-municipality.ts';
import { expectRefusal } from './envelope.ts';

const PAST = 1_000;

/** Whom an operation turns away, and that the first reason is the one that is given. */
export function describeRefusals(caller: Caller): void {
  const { operation, service } = caller;
  const { path, method, budget } = operation;
  const otherMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((other) => other !== method);
  const [pathAlone = ''] = path.split('?');
  // Where a parameter ends the path, another letter is another value of it.
  const longerPath = /:\w+$/.test(operation.of.path) ? `${pathAlone}/x` : `${pathAlone}x`;
  // What every credential may call is about no municipality either.
  const needsScope = operation.scope !== null;
  const all = operation.tokenHeaders === 'all';

  describe('refuses, in this order,', () => {
    it('a path that is not quite its own with 404', async () => {
      expectRefusal(await service.post(`${pathAlone}/`, {}), 404, 'NOT_FOUND');
      expectRefusal(await service.post(longerPath, {}, caller.credential.headers), 404, 'NOT_FOUND');
    });

    it.each([...otherMethods, ...(operation.crossOrigin ? [] : ['OPTIONS'])])(
      'the method %s with 405 and Allow, before any credential',
      async (other) => {
        const answer = await service.call(path, { method: other });
        expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
        expect(answer.headers.get('Allow')).toBe(method);
      },
    );

    if (operation.crossOrigin) {
      it('no preflight, of whatever origin, and speaks to every page', async () => {
        const preflight = await service.call(path, {
          method: 'OPTIONS',
          headers: { Origin: 'https://a.test' },
        });
        expect([preflight.status, preflight.body]).toEqual([204, null]);
        expect(preflight.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
        for (const answer of [
          preflight,
          await caller.send(caller.credential.headers),
          await caller.send({}),
        ]) {
          expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
        }
      });
    } else {
      it('to speak to a page of another origin', async () => {
        const answer = await caller.send({ ...caller.credential.headers, Origin: 'https://a.test' });
        expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
      });
    }

    it('no credential with 401 and a bare challenge', async () => {
      for (const headers of [{}, { Authorization: 'Bearer' }, { Authorization: 'bearer  ' }]) {
        const answer = await caller.send(headers, 'no JSON');
        expectRefusal(answer, 401, 'TOKEN_MISSING');
        expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="parking-entitlements"');
      }
    });

    it('what is not one of our tokens with 401, and asks neither D1 nor an object', async () => {
      const unreachable = new Service({ DB: brokenDatabase(), CREDENTIALS: brokenObjects() });
      const { accessToken, apiKey } = caller.credential;
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
        const answer = await caller.send(headers, 'no JSON', unreachable);
        expectRefusal(answer, 401, 'TOKEN_INVALID');
        expect(answer.headers.get('WWW-Authenticate')).toContain('error="invalid_token"');
      }
    });

    it('a token of a credential that is gone, or whose secret is another one', async () => {
      const gone = await issueCredential();
      await changeOf(gone, (held) => ({
        ...held,
        current: { ...held.current, accessTokenHash: '0'.repeat(64) },
      }));
      expectRefusal(await caller.send(gone.headers), 401, 'TOKEN_INVALID');
    });

    it('an expired and a revoked credential with 401, each with its own code', async () => {
      const expired = await caller.oneCall({ expiresAt: PAST });
      const revoked = await caller.oneCall({ revokedAt: PAST, expiresAt: PAST });
      expectRefusal(await caller.send(expired.headers, 'no JSON'), 401, 'TOKEN_EXPIRED');
      expectRefusal(await caller.send(revoked.headers, 'no JSON'), 401, 'TOKEN_REVOKED');
    });

    it('an address before a scope, and before the budget and the body, with 403', async () => {
      const elsewhere = await caller.oneCall({ ipAllowlist: ['198.51.100.0/24'], scopes: [] });
      expectRefusal(await caller.send(elsewhere.headers, 'no JSON'), 403, 'IP_NOT_ALLOWED');
      expectRefusal(await caller.send(elsewhere.headers, 'no JSON'), 403, 'IP_NOT_ALLOWED');
    });

    if (needsScope) {
      it('a scope before the budget and the body, with 403', async () => {
        const scopeless = await caller.oneCall({ scopes: [] });
        const answer = await caller.send(scopeless.headers, 'no JSON');
        expectRefusal(answer, 403, 'SCOPE_NOT_ALLOWED');
        expect(answer.headers.get('WWW-Authenticate')).toContain('error="insufficient_scope"');
        expectRefusal(await caller.send(scopeless.headers), 403, 'SCOPE_NOT_ALLOWED');
      });
    }

    it('believes no address but CF-Connecting-IP', async () => {
      const { headers } = await caller.oneCall({ ipAllowlist: ['198.51.100.7'] });
      const forwarded = {
        'X-Forwarded-For': '198.51.100.7',
        Forwarded: 'for=198.51.100.7',
        'X-Real-IP': '198.51.100.7',
      };
      expectRefusal(await caller.send({ ...headers, ...forwarded }), 403, 'IP_NOT_ALLOWED');
      expect((await caller.send({ ...headers, 'CF-Connecting-IP': '::ffff:198.51.100.7' })).status).toBe(200);
    });

    it('a call over the budget with 429 before the content type, with an honest Retry-After', async () => {
      const { headers } = await caller.oneCall();
      await caller.send(headers);
      const answer = await caller.send({ ...headers, 'Content-Type': 'text/plain' });
      expectRefusal(answer, 429, 'RATE_LIMIT_EXCEEDED');
      const retryAfter = Number(answer.headers.get('Retry-After'));
      expect(retryAfter).toBeGreaterThanOrEqual(59);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(answer.headers.get('RateLimit')).toBe(`"${budget}";r=0;t=${retryAfter}`);
      expect(answer.headers.get('RateLimit-Policy')).toBe(`"${budget}";q=1;w=60`);
    });

    if (operation.takesBody) describeBody(caller);
    if (needsScope) {
      describeMunicipality(caller);
    } else {
      it('a disabled tenant with 403', async () => {
        const { headers } = await caller.issue({ tenantId: 2 }, [4]);
        expectRefusal(await caller.send(headers), 403, 'TENANT_DISABLED');
      });
    }
  });

  it('takes no budget for a call that it refuses before the budget', async () => {
    const spared = await caller.oneCall({ ipAllowlist: ['203.0.113.7'] });
    await caller.send({ ...spared.headers, 'CF-Connecting-IP': '203.0.113.8' });
    await caller.send(bearer(spared.accessToken.replace(/.$/, 'x')));
    expect(await caller.isUsedUp(spared)).toBe(false);
    expect(await caller.isUsedUp(spared)).toBe(true);
  });
}
