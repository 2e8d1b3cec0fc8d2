import { beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../domain/random.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { ADMIN, type Answer } from '../support/service.ts';
import { placesOf } from './movers.ts';
import { type Change, PLATES } from './twin-changes.ts';
import { comparable, FAULTS, MOVER, TENANTS, TWIN, Twins } from './twins.ts';

const random = new Random(RUN_SEED);
let twins: Twins;

beforeAll(async () => {
  twins = await Twins.begin(random);
});

/** All that is held on a plate: each item once, since what moves meanwhile may be listed twice. */
async function exported(code: string, plate: string): Promise<unknown> {
  const [standing, history] = [new Set<string>(), new Set<string>()];
  for (let after: unknown = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const body = { tenant: TENANTS[code], plate, after };
    const answer = await twins.service.post('/api/v2/admin/plates/export', body, ADMIN);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const [, page] = comparable(answer) as [number, Record<string, object[]>];
    const { sessions = [], subscriptions = [] } = page;
    for (const item of [...sessions, ...subscriptions]) standing.add(JSON.stringify(item));
    // When something was recorded tells one change from another.
    for (const item of answer.body.history as object[]) {
      history.add(JSON.stringify(item));
    }
    ({ next: after } = answer.body);
  }
  return [
    // In whatever order.
    [...standing].sort(),
    comparable({ ...OK, body: { history: inOrder([...history]) } }),
  ];
}

/** In the order in which it was recorded: of what comes together each place has its own order. */
const inOrder = (items: readonly string[]): { recorded_at: string }[] =>
  items
    .map((text) => JSON.parse(text) as { recorded_at: string })
    .sort((one, other) => Date.parse(one.recorded_at) - Date.parse(other.recorded_at));

const OK = { status: 200, headers: new Headers() };

/** An erasure, of a plate that nobody else in the tenant has. */
const erasureOf =
  (plate: string): Change =>
  async ({ service, code }) => {
    const body = { tenant: TENANTS[code], plate };
    for (;;) {
      const answer: Answer = await service.post('/api/v2/admin/plates/erase', body, ADMIN);
      // A copy counts as much as its original.
      if (answer.status !== 200 || answer.body.more === false) return { ...answer, body: {} };
    }
  };

describe(`A municipality that moves there and back (TEST_SEED=${RUN_SEED})`, () => {
  it('has what its unmoved twin has on a plate, and nothing of one that was erased', async () => {
    let erasures = 0;
    await twins.moveWithEachFault(
      3,
      () => random.pick(FAULTS),
      async (when) => {
        const plate = random.pick(PLATES);
        await twins.expectSame(`export ${when}`, (code) => exported(code, plate));
        const erases = erasures === 0 || random.oneIn(shortOrThorough(2, 4));
        if (erases && (await twins.send(erasureOf(plate)))) {
          erasures += 1;
          expect(await placesOf(plate), `erased ${when}`).toEqual([]);
        }
      },
    );
    expect(erasures).toBeGreaterThan(shortOrThorough(0, 5));
    for (const code of [MOVER, TWIN])
      expect(await exported(code, 'NOBODY')).toEqual([[], [200, { history: [] }]]);
  }, 240_000);
});
