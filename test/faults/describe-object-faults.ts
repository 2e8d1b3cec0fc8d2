import { afterEach, describe, expect, it, vi } from 'vitest';
import { brokenObjects } from '../support/doubles.ts';
import { someOf } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { hangs, LOST, OVERLOADED, only, ready, STATES, throws } from './breakable.ts';
import { EXAMPLES, expectFailure, expectRight, send } from './calls.ts';

/** How long an object is waited for before it counts as out of reach. */
const REACHED_WITHIN_MS = 500;

const AWAY = [
  ['throws', throws('the object is out of reach'), 1],
  ['is overloaded', throws('Durable Object is overloaded.', { retryable: true, overloaded: true }), 1],
  ['was reset, and was again', throws('Durable Object reset.', { retryable: true }), 2],
] as const;

/** What every operation does while the credentials’ objects fail or hang. The examples are to be prepared before. */
export function describeObjectFaults(): void {
  afterEach(() => vi.restoreAllMocks());

  const CASES = EXAMPLES.filter(({ asksObject }) => asksObject).flatMap((example) =>
    STATES.filter((state) => state === 'cold' || example.hasCredential).map(
      (state) => [example.name, state, example] as const,
    ),
  );
  const GATES = CASES.filter(([, , { isGate }]) => isGate);
  const OTHERS = CASES.filter(([, , { isGate }]) => !isGate);

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

  describe.each(GATES)(
    'While the credential’s object is away, %s, in a %s isolate,',
    (_name, state, example) => {
      it.each(AWAY)('goes on from the database when it %s', async (_, fault, trips) => {
        const { isolate, ask } = await ready(example, state);
        isolate.objects = fault;
        expectRight(example, await ask());
        expect(isolate.trips.objects).toBe(trips);
      });

      it('is a failure where DATABASE_FALLBACK is not on', async () => {
        const { ask } = await ready(example, state);
        for (const DATABASE_FALLBACK of ['off', 'of', '']) {
          const service = new Service({ CREDENTIALS: brokenObjects(), DATABASE_FALLBACK });
          expectFailure(await send(await example.next(), service));
        }
        expectRight(example, await ask());
      });

      it('goes on from the database when it hangs, after half a second', async () => {
        const log = vi.spyOn(console, 'warn');
        const { isolate, ask } = await ready(example, state);
        isolate.objects = hangs;
        const { answer, afterMs } = await isolate.byFakeTimers(ask);
        expectRight(example, answer);
        expect(afterMs).toBe(REACHED_WITHIN_MS);
        expect(String(log.mock.calls[0]?.[0])).toContain('"reason":"timeout"');
      });

      it('has its right answer although the database loses one round trip, whichever', async () => {
        for (const number of [1, 2]) {
          const { isolate, ask } = await ready(example, state);
          isolate.objects = throws('the object is out of reach');
          isolate.database = only(number, throws(LOST));
          expectRight(example, await ask());
          expect(isolate.trips.database).toBe(3);
        }
      });

      it.each([
        ['throws, and the database as well', throws('away'), throws('D1_ERROR: internal error'), 0],
        ['throws, and the database is overloaded', throws('away'), throws(OVERLOADED), 0],
        ['hangs, and the database throws', hangs, throws('D1_ERROR: internal error'), REACHED_WITHIN_MS],
        ['throws, and the database hangs', throws('away'), hangs, example.deadlineMs],
        ['hangs, and the database as well', hangs, hangs, example.deadlineMs],
      ])('is a failure within its time when it %s', async (_, objects, database, answeredAfterMs) => {
        const { isolate, ask } = await ready(example, state);
        Object.assign(isolate, { objects, database });
        const { answer, afterMs } = await isolate.byFakeTimers(ask);
        expectFailure(answer);
        expect(afterMs).toBe(answeredAfterMs);
      });
    },
  );

  describe.each(OTHERS)(
    'While the credential’s object is away, %s, in a %s isolate,',
    (_name, state, example) => {
      it.each(AWAY)('is a failure when it %s', async (_, fault, trips) => {
        const { isolate, ask } = await ready(example, state);
        isolate.objects = fault;
        expectFailure(await ask());
        const { mostObjectTrips } = example;
        if (mostObjectTrips === undefined) {
          expect(isolate.trips.objects).toBe(trips);
        } else {
          expect(isolate.trips.objects).toBeLessThanOrEqual(mostObjectTrips);
        }
      });

      it('is a failure when it hangs', async () => {
        const { isolate, ask } = await ready(example, state);
        isolate.objects = hangs;
        const { answer, afterMs } = await isolate.byFakeTimers(ask);
        expectFailure(answer);
        const { hasCredential, deadlineMs, objectHangsForMs = deadlineMs } = example;
        expect(afterMs).toBe(hasCredential ? REACHED_WITHIN_MS : objectHangsForMs);
      });

      it('is a failure when the database is away as well', async () => {
        const { isolate, ask } = await ready(example, state);
        Object.assign(isolate, { objects: throws('away'), database: throws(LOST), callLog: throws(LOST) });
        expectFailure(await ask());
      });
    },
  );
}
