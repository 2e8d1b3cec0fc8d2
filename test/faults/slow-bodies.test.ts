import { beforeAll, describe, expect, it } from 'vitest';
import { Breakable } from './breakable.ts';
import { EXAMPLES, expectFailure, expectRight, prepareExamples, send } from './calls.ts';

beforeAll(prepareExamples);

const IMPORTS = EXAMPLES.filter(({ name }) => /import/i.test(name)).map(
  (example) => [example.name, example] as const,
);
const SILENT_MS = 10_000;
const MOST_BODIES = 4;
/** The fifth body really arrives while the others stall: time must not leap ahead of it on a busy machine. */
const PATIENT_TURNS = 200;

describe.each(IMPORTS)('%s,', (_, example) => {
  it('waits behind four bodies that do not come to their end, and is taken once they are given up', async () => {
    const isolate = new Breakable();
    const stalled = await Promise.all(Array.from({ length: MOST_BODIES }, () => example.next()));
    const fifth = await example.next();
    const { answer, afterMs } = await isolate.byFakeTimers(async () => {
      const before = stalled.map((call) => send({ ...call, body: isolate.stalledBody() }, isolate.service));
      const taken = await send(fifth, isolate.service);
      for (const refused of await Promise.all(before)) expectFailure(refused);
      return taken;
    }, PATIENT_TURNS);
    expectRight(example, answer);
    expect(afterMs).toBe(SILENT_MS);
  });
});
