import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { CITIES, change, issue, list, outcomeOf, outcomeOfKey, pairOf, revoke, rotate } from './support.ts';

beforeAll(() => seed(CITIES));
afterEach(() => {
  vi.restoreAllMocks();
});

/** Every row of every table, as text. */
async function wholeDatabase(): Promise<string> {
  const { results } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
  ).all<{ name: string }>();
  const tables = await env.DB.batch(results.map(({ name }) => env.DB.prepare(`select * from "${name}"`)));
  return JSON.stringify(tables.map((table) => table.results));
}

describe('A token and a key are shown once, and stand nowhere else', () => {
  it('in no row, no object, no list, no later answer, and no line of the log', async () => {
    const written = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level),
    );
    const service = new Service();
    const first = await issue(service);
    const second = pairOf(await rotate(service, first.credentialId, { overlap_seconds: 60 }));
    const outcomes = [
      await outcomeOf(service, first.accessToken),
      await outcomeOfKey(service, second.apiKey),
      await outcomeOf(service, `${second.accessToken}0`),
    ];
    expect(outcomes).toEqual(['200', '200', 'TOKEN_INVALID']);
    const later = [
      await change(service, first.credentialId, { name: 'renamed' }),
      await revoke(service, first.credentialId),
      await list(service, '?limit=200'),
      await service.settle('/api/v2/admin/credentials/none/revoke', {
        method: 'POST',
        headers: { Authorization: `Bearer ${second.accessToken}` },
      }),
    ];
    const stored = await runInDurableObject(
      env.CREDENTIALS.getByName(first.credentialId),
      async (_, { storage }) => JSON.stringify([...(await storage.list())]),
    );
    const lines = JSON.stringify(written.flatMap(({ mock }) => mock.calls));
    const database = await wholeDatabase();

    // What is searched holds what it should.
    expect(database).toContain(first.credentialId);
    expect(stored).toContain(first.credentialId);
    expect(lines).toContain('"event');
    const answers = JSON.stringify(later.map(({ body, headers }) => [body, [...headers]]));
    for (const text of [database, stored, answers, lines]) {
      expect(text).not.toMatch(/pev_/i);
      for (const token of [first.accessToken, first.apiKey, second.accessToken, second.apiKey]) {
        const [, , , secret = ''] = token.split('_');
        expect(secret).toHaveLength(64);
        expect(text).not.toContain(secret);
      }
    }
  });

  it('nor are their hashes in an answer or in the database', async () => {
    const service = new Service();
    const issued = await issue(service);
    const held = await env.CREDENTIALS.getByName(issued.credentialId).read();
    const { accessTokenHash, apiKeyHash } = held?.current ?? expect.fail('there is a credential');
    const seen = [issued.body, (await list(service, '?limit=200')).body, await wholeDatabase()];
    for (const hash of [accessTokenHash, apiKeyHash]) {
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(JSON.stringify(seen)).not.toContain(hash);
    }
  });
});
