import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { someOf } from '../support/run-form.ts';
import { hangs, only, ready, STATES, throws } from './breakable.ts';
import { EXAMPLES, expectFailure, expectRight, prepareExamples } from './calls.ts';

/** How long an object is waited for before it counts as out of reach. */
const REACHED_WITHIN_MS = 1_000;

const AWAY = [
  ['throws', throws('the object is out of reach'), 1],
  ['is overloaded', throws('Durable Object is overloaded.', { retryable: true, overloaded: true }), 1],
  ['was reset, and was again', throws('Durable Object reset.', { retryable: true }), 2],
] as const;

/** What every operation does while the credentials’ objects fail or hang. */
beforeAll(prepareExamples);
afterEach(() => vi.restoreAllMocks());

const CASES = EXAMPLES.filter(({ asksObject }) => asksObject).flatMap((example) =>
  STATES.filter((state) => state === 'cold' || example.hasCredential).map(
    (state) => [example.name, state, example] as const,
  ),
);

describe.each(someOf(CASES, 8))(
  'While the credential’s object was reset once, %s, in a %s isolate,',
  (_name, state, example) => {
    it('asks it once more', async () => {
      const usual = await ready(example, state);
      expectRight(example, await usual.ask());
      const { isolate, ask } = await ready(example, state);
      isolate.objects = only(1, throws('Durable Object reset.', { retryable: true }));
      expectRight(example, await ask());
      expect(isolate.trips.objects).toBe(usual.isolate.trips.objects + 1);
    });
  },
);

describe.each(CASES)(
  'While the credential’s object is away, %s, in a %s isolate,',
  (_name, state, example) => {
    it.each(AWAY)('is a failure when it %s', async (_, fault, trips) => {
      const { isolate, ask } = await ready(example, state);
      isolate.objects = fault;
      expectFailure(await ask());
      expect(isolate.trips.objects).toBe(trips);
    });

    it('is a failure when it hangs', async () => {
      const { isolate, ask } = await ready(example, state);
      isolate.objects = hangs;
      const { answer, afterMs } = await isolate.byFakeTimers(ask);
      expectFailure(answer);
      expect(afterMs).toBe(REACHED_WITHIN_MS);
    });
  },
);
