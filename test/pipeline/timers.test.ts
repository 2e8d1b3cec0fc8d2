import { env } from 'cloudflare:workers';
import { drizzle } from 'drizzle-orm/d1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCron } from '../../src/crons.ts';
import { instant } from '../../src/domain/instant.ts';
import { municipalities } from '../../src/storage/db/schema/index.ts';
import { exampleOf, expectRight, prepareExamples } from '../faults/calls.ts';
import { OPERATIONS } from '../suites/operations.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { countTimers } from '../support/timers.ts';

/**
 * A timer that a call leaves behind runs out after seconds, and the runtime has room for 10,000. An export of the plate that all
 * of them are about has room for 1,000 calls.
 */
const CALLS = shortOrThorough(5, 150);

const service = new Service();
let timers: ReturnType<typeof countTimers>;

beforeAll(async () => {
  await prepareExamples();
  await drizzle(env.DB).update(municipalities).set({ publicOccupancyEnabled: true });
  await runCron('* * * * *', env, () => instant(Date.now()));
  timers = countTimers();
});

afterAll(() => vi.unstubAllGlobals());

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
  'A call of %s leaves no timer behind',
  (_, operation) => {
    const example = exampleOf(operation);

    it(`that is answered, ${CALLS} times`, async () => {
      const before = timers.made();
      for (let calls = 0; calls < CALLS; calls += 1) {
        const { path, ...call } = await example.next();
        expectRight(example, await service.settle(path, call));
        expect(timers.armed()).toBe(0);
      }
      if (operation.access.by === 'credential') expect(timers.made() - before).toBeGreaterThanOrEqual(CALLS);
    });

    it('that is refused', async () => {
      const { path, ...call } = await example.next();
      const deviations = [{ headers: {} }, { method: 'DELETE' }, ...(operation.body ? [{ body: '{' }] : [])];
      for (const deviation of deviations) {
        await service.settle(path, { ...call, ...deviation });
        expect(timers.armed()).toBe(0);
      }
    });
  },
);
