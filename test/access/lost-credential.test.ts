import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { Breakable, hangs, only } from '../faults/breakable.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const PATH = '/api/v2/parking-entitlements/search';

beforeAll(() => seed(CITY));

describe('An object that has lost its credential', () => {
  async function forgotten(changed = {}): Promise<TestCredential> {
    const stored = await issueCredential(changed);
    const object = env.CREDENTIALS.getByName(stored.credentialId);
    await runInDurableObject(object, (_, state) => state.storage.deleteAll());
    await evictDurableObject(object);
    return stored;
  }

  it('takes it from the database, and admits the call', async () => {
    const stored = await forgotten({ rateLimit: 1 });
    const service = new Service();
    expect((await service.post(PATH, { plate: 'A' }, stored.headers)).status).toBe(200);
    expect((await service.post(PATH, { plate: 'A' }, stored.headers)).status).toBe(429);
  });

  it('and hangs when it is given it, fails the call after half a second', async () => {
    const stored = await forgotten();
    const isolate = new Breakable();
    isolate.objects = only(2, hangs);
    const { answer, afterMs } = await isolate.byFakeTimers(() =>
      isolate.service.post(PATH, { plate: 'A' }, stored.headers),
    );
    expect([answer.status, afterMs]).toEqual([500, 500]);
    expect(isolate.trips.objects).toBe(2);
  });
});
