import { afterEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { exportOf } from '../admin/plates-support.ts';
import { at, NOW, subscription } from '../entitlement-list/lines.ts';
import {
  CITY_DOCUMENT,
  configure,
  importLines,
  issueForCity,
  SUBSCRIPTIONS,
  takeList,
} from '../entitlement-list/support.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { Service } from '../support/service.ts';
import { EVIDENCE } from './support.ts';

const PLATE = 'FLEET1';
const OTHERS = ['FLEET2', 'FLEET3'];
/** They make its record a large one. */
const MANY_PERIODS = Array.from({ length: 40 }, (_, index) => ({
  starts_at: at((2 * index - 1) * HOUR_MS),
  ends_at: at((2 * index + 0.5) * HOUR_MS),
}));

type Body = Record<string, unknown>;

/** Everything that anybody is told of one plate of a subscription, after each change of it; without what is random. */
async function toldOf(others: readonly string[], periods: readonly object[]): Promise<readonly Body[]> {
  await freshDatabase();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const service = new Service();
  await configure(service, CITY_DOCUMENT);
  const { headers } = await issueForCity();
  const withoutIds = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (name, item) =>
      ['id', 'plate', 'request_id', 'generated_at', 'recorded_at'].includes(name) ? undefined : item,
    );
  const tell = async (): Promise<Body> => {
    const list = await takeList(service, headers);
    const now = new Date(Date.now()).toISOString();
    const question = { plate: PLATE, at: now, municipality_code: 'H501', area_code: 'P1' };
    const [before, after] = await Promise.all(
      [at(MINUTE_MS), now].map((known_at) => service.post(EVIDENCE, { ...question, known_at }, headers)),
    );
    const { history, ...verdicts } = after?.body ?? {};
    const { as_known_then, as_known_now, differs } = verdicts;
    return withoutIds({
      list: list.lines,
      before: before?.body.as_known_then,
      ...{ as_known_then, as_known_now, differs, history },
      exported: (await exportOf(service, PLATE)).history,
    });
  };
  const told: Body[] = [];
  const steps = [
    { own: [{}], ofOthers: -1, changed: {} },
    // Of the others alone: the plate's history does not grow.
    { own: [{}], ofOthers: -2, changed: {} },
    {
      own: [{ valid_until: at(50 * HOUR_MS) }],
      ofOthers: -2,
      changed: { authorized_until: at(60 * HOUR_MS) },
    },
    { own: [{ valid_until: at(50 * HOUR_MS) }], ofOthers: -3, changed: { areas: ['P1', 'P2'] } },
    { own: [], ofOthers: -4, changed: {} },
  ];
  for (const [minute, { own, ofOthers, changed }] of steps.entries()) {
    vi.setSystemTime(NOW + (minute + 1) * MINUTE_MS);
    // Theirs have ended: no list shows them.
    const plates = [
      ...own.map((span) => ({ plate: PLATE, ...span })),
      ...others.map((plate) => ({ plate, valid_until: at(ofOthers * HOUR_MS) })),
    ];
    await importLines(service, headers, SUBSCRIPTIONS, [subscription('N', { periods, ...changed, plates })]);
    told.push(await tell());
  }
  return told;
}

afterEach(() => vi.useRealTimers());

describe.each([
  ['small', [{ starts_at: at(-HOUR_MS), ends_at: at(2 * HOUR_MS) }]],
  ['large', MANY_PERIODS],
])('A subscription whose record is %s', (_, periods) => {
  it('tells of a plate of a fleet what it tells of the same plate alone', async () => {
    const alone = await toldOf([], periods);
    expect(await toldOf(OTHERS, periods)).toEqual(alone);
    // All that is told was once there.
    const [first] = alone;
    expect(first).toMatchObject({
      list: [{ kind: 'subscription' }],
      as_known_then: { has_valid_subscription: true },
      history: [{ record: { type: 'RES', plates: [{ valid_from: null, valid_until: null }] } }],
      exported: [{ record: { type: 'RES', periods: { length: periods.length } } }],
    });
    expect(alone.at(-1)).toMatchObject({ as_known_then: { has_valid_subscription: false } });
  });
});
