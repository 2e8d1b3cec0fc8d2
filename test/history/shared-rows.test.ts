import { env } from 'cloudflare:workers';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { journal } from '../../src/db/schema/index.ts';
import { statement } from '../../src/db/sql.ts';
import { HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { recordBytes } from '../../src/history/shared-rows-parts.ts';
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
import { EVIDENCE } from '../evidence/support.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { record } from '../support/journal.ts';
import { CITY, ROME } from '../support/seed.ts';
import { Service } from '../support/service.ts';

const PLATE = 'FLEET1';
const OTHERS = ['FLEET2', 'FLEET3'];
/** They make its record larger than those that a list's changes carry along. */
const MANY_PERIODS = Array.from({ length: 40 }, (_, index) => ({
  starts_at: at((2 * index - 1) * HOUR_MS),
  ends_at: at((2 * index + 0.5) * HOUR_MS),
}));

type Body = Record<string, unknown>;

/** What the version before has left: the whole record in each plate's row. As objects, the versions before that. */
const asVersionBefore = (record: string) => () =>
  env.DB.batch(
    [
      `update journal set record = (select json_set(s.record, '$[3]', json(journal.record)) from journal as s where s.key = journal.key
         and s.plate is null and s.sequence < journal.sequence order by s.sequence desc limit 1) where record glob '[[][[]*'`,
      `delete from journal where kind = 'subscription' and plate is null`,
      `update journal set record = ${record} where kind = 'subscription' and record is not null`,
    ].map((sql) => env.DB.prepare(sql)),
  );
const LIST = asVersionBefore('record');
const OBJECT =
  asVersionBefore(`json_object('subscription_number', key, 'type', record ->> 0, 'approval', record ->> 1, 'areas', json(record -> 2),
  'plates', (select json_group_array(json_object('valid_from', value ->> 0, 'valid_until', value ->> 1)) from json_each(record, '$[3]')),
  'periods', (select json_group_array(json_object('starts_at', value ->> 0, 'ends_at', value ->> 1)) from json_each(record, '$[4]')),
  'authorized_from', record ->> 5, 'authorized_until', record ->> 6, 'suspended_from', record ->> 7, 'suspended_until', record ->> 8,
  'revoked_at', record ->> 9, 'revision', record ->> 10)`);

/** Everything that anybody is told of one plate of a subscription, after each change of it; without what is random. */
async function toldOf(
  others: readonly string[],
  periods: readonly object[],
  migrate: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly told: readonly Body[]; readonly service: Service }> {
  await freshDatabase();
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  const service = new Service();
  await configure(service, CITY_DOCUMENT);
  const { headers } = await issueForCity();
  const withoutIds = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (name, item) =>
      ['id', 'plate', 'request_id', 'generated_at', 'recorded_at'].includes(name) ? undefined : item,
    );
  let cursor = (await takeList(service, headers)).end.cursor;
  const tell = async (): Promise<Body> => {
    const changes = await takeList(service, headers, { cursor });
    ({ cursor } = changes.end);
    const whole = await takeList(service, headers);
    const now = new Date(Date.now()).toISOString();
    const question = { plate: PLATE, at: now, municipality_code: 'H501', area_code: 'P1' };
    const [before, after] = await Promise.all(
      [at(MINUTE_MS), now].map((known_at) => service.post(EVIDENCE, { ...question, known_at }, headers)),
    );
    const { history, ...verdicts } = after?.body ?? {};
    const { as_known_then, as_known_now, differs } = verdicts;
    return withoutIds({
      lists: [changes.lines, whole.lines],
      before: before?.body.as_known_then,
      ...{ as_known_then, as_known_now, differs, history },
      exported: (await exportOf(service, PLATE)).history,
    });
  };
  const told: Body[] = [];
  const steps = [
    { own: [{}], ofOthers: -1, changed: {} },
    // Of the others alone: the plate's row rests on what came before this.
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
    // A database that was migrated after the second change.
    if (minute === 1) await migrate();
    told.push(await tell());
  }
  return { told, service };
}

afterEach(() => vi.useRealTimers());

const ownRecords = async () =>
  (
    await env.DB.prepare(
      `select count(*) filter (where plate is null) as shared, count(*) filter (where substr(record, 1, 2) = '[[') as own
       from journal where kind = 'subscription'`,
    ).raw()
  )[0];

describe.each([
  ['small', [{ starts_at: at(-HOUR_MS), ends_at: at(2 * HOUR_MS) }]],
  ['large', MANY_PERIODS],
])('A subscription whose record is %s', (_, periods) => {
  it('tells of a plate of a fleet what it tells of the same plate alone', async () => {
    const alone = await toldOf([], periods);
    expect(await ownRecords()).toEqual([0, 0]);
    const ofFleet = await toldOf(OTHERS, periods);
    expect(await ownRecords()).toEqual([5, 13]);
    expect(ofFleet.told).toEqual(alone.told);
    for (const form of [LIST, OBJECT]) {
      const migrated = await toldOf(OTHERS, periods, form);
      expect(await ownRecords()).toEqual([3, 8]);
      expect(migrated.told).toEqual(alone.told);
    }
    // All that is told was once there.
    const [first] = alone.told;
    expect(first).toMatchObject({
      lists: [[{ kind: 'subscription' }], [{ kind: 'subscription' }]],
      as_known_then: { has_valid_subscription: true },
      history: [{ record: { type: 'RES', plates: [{ valid_from: null, valid_until: null }] } }],
      exported: [{ record: { type: 'RES', periods: { length: periods.length } } }],
    });
    expect(alone.told.at(-1)).toMatchObject({ as_known_then: { has_valid_subscription: false } });
  });
});

it('A plate’s row whose shared row is gone tells of a plate that has left, and stops nobody', async () => {
  const { service } = await toldOf(OTHERS, MANY_PERIODS);
  await env.DB.prepare(`delete from journal where kind = 'subscription' and plate is null`).run();
  const { history } = (await exportOf(service, PLATE)) as { history: { record: Body }[] };
  expect(history.map(({ record }) => record)).toEqual(
    Array(4).fill({ subscription_number: 'N', plates: [] }),
  );
});

describe('A record', () => {
  it('is as large as it stands in its row, with what it rests on if that is of the same import', async () => {
    await freshDatabase(CITY);
    const row = (requestId: string, plate: string | null, record: string) => ({
      ...{ municipalityId: ROME.id, kind: 'subscription' as const, recordedAt: instant(NOW), key: 'N' },
      ...{ requestId, plate, record },
    });
    const whole = (bytes: number) => `["${'A'.repeat(bytes - 4)}"]`;
    const spans = `[[1,${'2'.repeat(1_500)}]]`;
    await record(
      row('fleet', null, whole(5_000)),
      row('fleet', 'A', '[[1,2]]'),
      row('fleet', 'B', spans),
      row('later', 'A', whole(3_000)),
      row('later', 'B', whole(500)),
    );
    const bytes = statement(
      () => sql`select ${recordBytes(journal)} as bytes from ${journal} order by ${journal.sequence}`,
    );
    const { results } = await env.DB.prepare(bytes()).all<{ bytes: number }>();
    expect(results.map((found) => found.bytes)).toEqual([5_000, 5_007, 5_000 + spans.length, 3_000, 500]);
  });
});
