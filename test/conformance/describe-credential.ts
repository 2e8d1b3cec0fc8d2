import { describe, expect, it } from 'vitest';
import type { Caller } from './caller.ts';
import { expectRefusal } from './envelope.ts';

/** In which headers an operation takes its credential. */
export function describeCredential(caller: Caller): void {
  const all = caller.operation.tokenHeaders === 'all';

  describe('takes its credential', () => {
    it('as a bearer token, whatever the case of the scheme', async () => {
      for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
        expect(
          (await caller.send({ Authorization: `${scheme} ${caller.credential.accessToken}` })).status,
        ).toBe(200);
      }
    });

    if (all) {
      it('in X-Service-Token and X-Api-Key as well', async () => {
        expect((await caller.send({ 'X-Service-Token': caller.credential.accessToken })).status).toBe(200);
        expect((await caller.send({ 'X-Api-Key': caller.credential.apiKey })).status).toBe(200);
      });

      it('from Authorization where several are sent, then from X-Service-Token', async () => {
        const { accessToken, apiKey } = caller.credential;
        const good = { 'X-Service-Token': accessToken, 'X-Api-Key': apiKey };
        expectRefusal(await caller.send({ ...good, Authorization: 'Bearer x' }), 401, 'TOKEN_INVALID');
        expectRefusal(await caller.send({ ...good, 'X-Service-Token': 'x' }), 401, 'TOKEN_INVALID');
        expect((await caller.send({ ...good, 'X-Api-Key': 'x' })).status).toBe(200);
        expectRefusal(await caller.send({ ...good, Authorization: 'Bearer' }), 401, 'TOKEN_MISSING');
      });

      it('past an Authorization of another scheme, such as a proxy’s Basic', async () => {
        const { accessToken, apiKey } = caller.credential;
        const proxied = { Authorization: 'Basic cHJveHk6c2VjcmV0' };
        expect((await caller.send({ ...proxied, 'X-Api-Key': apiKey })).status).toBe(200);
        expect((await caller.send({ ...proxied, 'X-Service-Token': accessToken })).status).toBe(200);
        expectRefusal(await caller.send({ ...proxied, 'X-Api-Key': 'x' }), 401, 'TOKEN_INVALID');
        expectRefusal(await caller.send({ ...proxied, 'X-Api-Key': ' ' }), 401, 'TOKEN_INVALID');
        expectRefusal(await caller.send(proxied), 401, 'TOKEN_INVALID');
      });
    } else {
      it('from Authorization alone', async () => {
        expectRefusal(
          await caller.send({ 'X-Service-Token': caller.credential.accessToken }),
          401,
          'TOKEN_MISSING',
        );
        expectRefusal(await caller.send({ 'X-Api-Key': caller.credential.apiKey }), 401, 'TOKEN_MISSING');
        const proxied = { Authorization: 'Basic cHJveHk6c2VjcmV0', 'X-Api-Key': caller.credential.apiKey };
        expectRefusal(await caller.send(proxied), 401, 'TOKEN_INVALID');
      });
    }
  });
}
