import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import worker from '../../src/worker.ts';
import { databaseDouble } from '../support/doubles.ts';
import { ADMIN, Service } from '../support/service.ts';
import { prepareSeveral, SEVERAL } from '../support/several.ts';
import { administrate, NATION, putDocument } from './nation.ts';

/** What D1 takes of an invocation, less what the home takes of it as well, and the log of the call. */
const LIMIT = 1_000 - 50;
/** What docs/more-than-one-database.md recommends. */
const DATABASES = 84;

/** Statements that one database besides the home was sent. */
let statements = 0;
const DB_2 = databaseDouble(
  {
    around: async (run) => {
      const result = await run();
      // A batch has a result for each of its statements. Any other array is the rows of one.
      statements += Array.isArray(result) && 'meta' in (result[0] ?? {}) ? result.length : 1;
      return result;
    },
  },
  env.SECOND,
);
const service = new Service({ ...SEVERAL, DB_2 });

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(service, NATION);
});

beforeEach(() => {
  statements = 0;
});

/** The whole of a call, what goes on after its answer too. */
async function settle(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await service.settle(path, { method, headers: ADMIN, ...(body !== undefined && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

const run = (cron: string) =>
  worker.scheduled(createScheduledController({ cron }), { ...env, ...SEVERAL, DB_2 });

describe('A database with few municipalities', () => {
  it.each<[number, string, () => Promise<unknown>]>([
    [1, 'the list of databases', () => administrate(service, 'GET', '/api/v2/admin/databases')],
    [5, 'a minute’s run', () => run('* * * * *')],
    [
      11,
      'an erasure that finds nothing',
      () => settle('POST', '/api/v2/admin/plates/erase', { tenant: 'acme', plate: 'NOBODY' }),
    ],
    [
      10,
      'a document that switches a tenant, and the snapshots that it renews',
      () => settle('PUT', '/api/v2/admin/configuration', { tenants: [{ code: 'acme', active: false }] }),
    ],
  ])(
    'is sent %i statements by %s: as many as the databases of a Worker leave to each',
    async (most, _, act) => {
      await act();
      expect(statements).toBe(most);
      expect(most * DATABASES).toBeLessThanOrEqual(LIMIT);
    },
  );

  it('is sent no more by an hour’s retention than leaves its turn to 11 of them', async () => {
    await run('17 * * * *');
    expect(statements).toBeGreaterThan(0);
    expect(statements * 11).toBeLessThanOrEqual(900);
  });
});
