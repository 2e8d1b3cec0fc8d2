import { beforeAll, describe, expect, it } from 'vitest';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { databaseDouble, noSnapshots } from '../support/doubles.ts';
import { CITY, seed } from '../support/seed.ts';
import { Service } from '../support/service.ts';

let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});

/** Answers all but one reading at once. */
const databaseWithOneReadingOf = (milliseconds: number): D1Database =>
  databaseDouble({
    around: async (read) => {
      const result = await read();
      await (Array.isArray(result) ? scheduler.wait(milliseconds) : undefined);
      return result;
    },
  });

// They wait side by side.
describe.concurrent('A report that is made from a slow database', () => {
  it.each([
    [3_000, 200],
    [6_500, 500],
  ])(
    'after %i ms answers %i: five seconds are the bound',
    async (milliseconds, status) => {
      const service = new Service({ DB: databaseWithOneReadingOf(milliseconds), SNAPSHOTS: noSnapshots() });
      const answer = await service.post('/api/v2/parking/reports/active-by-area', {}, credential.headers);
      expect(answer.status).toBe(status);
    },
    10_000,
  );
});
