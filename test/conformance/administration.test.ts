import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_OPERATIONS } from '../suites/operations.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { ADMIN, bearer, Service } from '../support/service.ts';
import { expectRefusal } from './envelope.ts';

const KIB = 1024;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What every operation that the administrator calls does alike: who is let in, and how a body is refused. */
let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});

describe.each(ADMIN_OPERATIONS)(
  'The administrator’s $method $path',
  ({ method, path, allow, takesBody, maxBytes }) => {
    const service = new Service();
    const send = (
      headers: Record<string, string>,
      body: unknown = takesBody ? {} : undefined,
      to = service,
    ) => to.call(path, { method, headers, ...(body !== undefined && { body }) });

    it.each([undefined, '', '  ', 'x'.repeat(31)])(
      'takes nobody for the administrator where the secret is %j',
      async (ADMIN_TOKEN) => {
        const without = new Service({ ADMIN_TOKEN: ADMIN_TOKEN as string });
        expectRefusal(await send(ADMIN, undefined, without), 401, 'TOKEN_INVALID');
        const empty = ['', '  '].includes(ADMIN_TOKEN ?? '') ? 'TOKEN_MISSING' : 'TOKEN_INVALID';
        expectRefusal(await send(bearer(ADMIN_TOKEN ?? ''), undefined, without), 401, empty);
        expectRefusal(await send({}, undefined, without), 401, 'TOKEN_MISSING');
      },
    );

    it('answers other methods with 405 and Allow, before any credential', async () => {
      for (const other of METHODS.filter((name) => !allow.split(', ').includes(name))) {
        const answer = await service.call(path, { method: other });
        expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
        expect(answer.headers.get('Allow')).toBe(allow);
      }
    });

    it('answers 401 to whoever has no token of the service', async () => {
      expectRefusal(await send({}), 401, 'TOKEN_MISSING');
      expectRefusal(await send({ Authorization: 'Bearer' }), 401, 'TOKEN_MISSING');
      expectRefusal(
        await send({ 'X-Service-Token': 'admin-token-of-the-tests-long-enough' }),
        401,
        'TOKEN_MISSING',
      );
      for (const headers of [
        bearer('x'),
        bearer(credential.apiKey),
        { Authorization: 'Basic admin-token-of-the-tests-long-enough' },
      ]) {
        expectRefusal(await send(headers), 401, 'TOKEN_INVALID');
      }
    });

    if (takesBody) {
      const json = { ...ADMIN, 'Content-Type': 'application/json' };

      it('refuses the content type, then the size, then the JSON, then the fields', async () => {
        const tooLarge = new Uint8Array(maxBytes + 1);
        expectRefusal(
          await send({ ...ADMIN, 'Content-Type': 'text/plain' }, tooLarge),
          415,
          'INVALID_CONTENT_TYPE',
        );
        expectRefusal(await send(json, tooLarge), 413, 'PAYLOAD_TOO_LARGE');
        for (const body of ['', '[]', '{', new Uint8Array([0xff])]) {
          expectRefusal(await send(json, body), 400, 'INVALID_JSON');
        }
        const answer = await send(json, '{"unknown":1}');
        expectRefusal(answer, 422, 'INVALID_REQUEST');
        expect(JSON.stringify(answer.body)).toContain('"path":"unknown"');
      });
    }
  },
);

describe('A body of the administrator’s', () => {
  it.each(ADMIN_OPERATIONS.filter(({ takesBody }) => takesBody))(
    'for $method $path has at most 64 KiB, and the configuration one MiB',
    ({ path, maxBytes }) => {
      expect(maxBytes).toBe(path.includes('configuration') ? KIB * KIB : 64 * KIB);
    },
  );
});
