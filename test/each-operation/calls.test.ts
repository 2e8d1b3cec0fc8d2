import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { instant } from '../../src/domain/instant.ts';
import { municipalities } from '../../src/storage/db/schema/index.ts';
import { expectRefusal } from '../conformance/envelope.ts';
import { exampleOf, expectRight, prepareExamples, send } from '../faults/calls.ts';
import { OPERATIONS } from '../suites/operations.ts';
import { Service } from '../support/service.ts';

// A look at every operation as it is built: the suites look closer, at the sources.
const service = new Service();

beforeAll(async () => {
  await prepareExamples();
  await drizzle(env.DB).update(municipalities).set({ publicOccupancyEnabled: true });
  await runCron('* * * * *', env, () => instant(Date.now()));
});

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  const example = exampleOf(operation);

  it('has its right answer', async () => {
    expectRight(example, await send(await example.next(), service));
  });

  if (operation.access.by === 'anybody') {
    it('refuses another method than its own', async () => {
      const answer = await send({ ...(await example.next()), method: 'DELETE' }, service);
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('Allow')).toContain(operation.method);
    });
  } else {
    it('refuses a call without a credential', async () => {
      const { Authorization: _, ...headers } = (await example.next()).headers ?? {};
      expectRefusal(await send({ ...(await example.next()), headers }, service), 401, 'TOKEN_MISSING');
    });
  }
});
