import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { someOf } from '../support/run-form.ts';
import { answerLost, hangs, LOST, OVERLOADED, only, ready, STATES, type State, throws } from './breakable.ts';
import {
  EXAMPLES,
  type Example,
  expectFailure,
  expectRight,
  expectRightOrFailure,
  prepareExamples,
} from './calls.ts';

/** For every round trip to the database that the call makes when nothing fails: its number, and an isolate of its own. */
async function everyTrip(example: Example, state: State) {
  const { isolate, ask } = await ready(example, state);
  expectRight(example, await ask());
  expect(isolate.trips.database).toBeGreaterThan(0);
  const numbers = Array.from({ length: isolate.trips.database }, (_, index) => index + 1);
  return Promise.all(numbers.map(async (number) => ({ number, ...(await ready(example, state)) })));
}

/** What every operation does while the database fails or hangs. */
beforeAll(prepareExamples);
/** What is tried again is tried at once: the jitter before it is none. */
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

/** An administrator's call finds every isolate cold. */
const CASES = EXAMPLES.flatMap((example) =>
  STATES.filter((state) => state === 'cold' || example.hasCredential).map(
    (state) => [example.name, state, example] as const,
  ),
);
const ASKING = someOf(
  CASES.filter(([, , { asksDatabase }]) => asksDatabase),
  8,
);
const NOT_ASKING = CASES.filter(([, , { asksDatabase }]) => !asksDatabase);
const CHECKS = CASES.filter(([name]) => name.startsWith('checkPlate'));
const LOGGED = someOf(
  EXAMPLES.filter(({ isLogged }) => isLogged).map((example) => [example.name, example] as const),
  5,
);

describe.each(ASKING)('%s, in a %s isolate,', (_name, state, example) => {
  it.each([
    ['is away', throws('D1_ERROR: internal error')],
    ['loses its connection for good', throws(LOST)],
    ['does all, and nobody hears of it', answerLost(LOST)],
  ])('is a failure when the database %s', async (_, fault) => {
    const { isolate, ask } = await ready(example, state);
    isolate.database = fault;
    expectFailure(await ask());
  });

  it('is a failure when the database is overloaded, and asks it no second time', async () => {
    const { isolate, ask } = await ready(example, state);
    isolate.database = throws(OVERLOADED, { cause: new Error(LOST) });
    expectFailure(await ask());
    expect(isolate.trips.database).toBe(1);
  });

  it('is a failure at the end of its time when the database hangs', async () => {
    const { isolate, ask } = await ready(example, state);
    isolate.database = hangs;
    isolate.callLog = hangs;
    const { answer, afterMs } = await isolate.byFakeTimers(ask);
    expectFailure(answer);
    expect(afterMs).toBe(example.deadlineMs);
  });

  it.each([
    ['refused', throws('D1_ERROR: internal error')],
    ['lost', throws(LOST)],
    ['done, and its answer lost', answerLost(LOST)],
  ])('has its right answer or a failure when one round trip is %s, whichever', async (_, fault) => {
    const trips = await everyTrip(example, state);
    const answers = trips.map(({ number, isolate, ask }) => {
      isolate.database = only(number, fault);
      return ask();
    });
    for (const answer of await Promise.all(answers)) {
      expectRightOrFailure(example, answer);
    }
  });

  it('is a failure within its time when one round trip hangs, whichever', async () => {
    for (const { number, isolate, ask } of await everyTrip(example, state)) {
      isolate.database = only(number, hangs);
      const { answer, afterMs } = await isolate.byFakeTimers(ask);
      if (example.renewsLast) expectRightOrFailure(example, answer);
      else expectFailure(answer);
      expect(afterMs).toBeLessThanOrEqual(example.deadlineMs);
    }
  });
});

describe.each(NOT_ASKING)('%s, in a %s isolate,', (_name, state, example) => {
  it.each([
    ['is away', throws('D1_ERROR: internal error')],
    ['is overloaded', throws(OVERLOADED)],
    ['hangs', hangs],
  ])('has its right answer when the database %s', async (_, fault) => {
    const { isolate, ask } = await ready(example, state);
    isolate.database = fault;
    // The status waits a while for what it asks.
    expectRight(example, (await isolate.byFakeTimers(ask)).answer);
  });
});

describe.each(someOf(CASES, 8))(
  '%s, in a %s isolate, whatever the database does,',
  (_name, state, example) => {
    if (example.takesBody) {
      it('is a failure when its body does not come', async () => {
        const { isolate, call, ask } = await ready(example, state);
        const headers = { 'Content-Type': 'application/json', ...call.headers };
        const { answer } = await isolate.byFakeTimers(() => ask({ headers, body: isolate.stalledBody() }));
        expectFailure(answer);
      });
    }

    it('has its right answer when its snapshots’ store throws or hangs', async () => {
      for (const fault of [throws('KV PUT failed: 429 Too Many Requests'), hangs]) {
        const { isolate, ask } = await ready(example, state);
        isolate.snapshots = fault;
        const { answer, afterMs } = await isolate.byFakeTimers(ask);
        expectRight(example, answer);
        expect(afterMs).toBeLessThan(example.deadlineMs);
      }
    });
  },
);

describe.each(CHECKS)('%s, in a %s isolate, for which a driver waits,', (_name, state, example) => {
  it.each([
    LOST,
    'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
    'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
    'D1_ERROR: D1 DB reset because its code was updated.',
  ])('asks once more, and is right, after %s', async (message) => {
    const { isolate, ask } = await ready(example, state);
    isolate.database = only(1, throws(message));
    expectRight(example, await ask());
    expect(isolate.trips.database).toBe(2);
  });

  it.each([
    ['what was lost twice', throws(LOST), 2],
    ['what the database refused', throws('D1_ERROR: no such table: tenants'), 1],
  ])('does not go on asking after %s', async (_, fault, trips) => {
    const { isolate, ask } = await ready(example, state);
    isolate.database = fault;
    expectFailure(await ask());
    expect(isolate.trips.database).toBe(trips);
  });

  it('does not ask beyond its time: once more is in it', async () => {
    const { isolate, ask } = await ready(example, state);
    isolate.database = (run) => (isolate.trips.database === 1 ? throws(LOST)(run) : hangs(run));
    const { answer, afterMs } = await isolate.byFakeTimers(ask);
    expectFailure(answer);
    expect(afterMs).toBe(example.deadlineMs);
  });
});

describe.each(LOGGED)('While the call log cannot be written, %s', (name, example) => {
  it.each([
    ['throws', throws('D1_ERROR: the disk is full')],
    ['is overloaded', throws(OVERLOADED)],
  ])('has its right answer when the database %s, and its line says what was lost', async (_, fault) => {
    const error = vi.spyOn(console, 'error');
    const { isolate, settle } = await ready(example, 'cold');
    isolate.callLog = fault;
    const answer = await settle();
    expectRight(example, answer);
    // An isolate of an earlier test, whose database hangs, gives up whenever it does.
    const ofThisCall = error.mock.calls
      .map(([text]) => String(text))
      .filter((text) => text.includes(String(answer.headers.get('X-Request-Id'))));
    expect(ofThisCall).toHaveLength(1);
    const line = JSON.parse(String(ofThisCall[0]));
    expect(line).toMatchObject({ event: 'call_log_lost' });
    if (name === 'findSubscriptionOptions') {
      expect(line).toMatchObject({
        request: '{"plate":"AB123CD"}',
        response: JSON.stringify(answer.body),
        outcome: 'OPTIONS_AVAILABLE',
      });
    }
  });

  it('has its right answer, within its time, when the database hangs', async () => {
    const { isolate, ask } = await ready(example, 'cold');
    isolate.callLog = hangs;
    const { answer, afterMs } = await isolate.byFakeTimers(ask);
    expectRight(example, answer);
    expect(afterMs).toBeLessThanOrEqual(example.deadlineMs);
  });
});
