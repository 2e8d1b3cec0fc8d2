import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/instant.ts';
import { countedBindings } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { Service } from '../support/service.ts';
import { session as aSession, subscription as aSubscription, at, NOW } from './lines.ts';
import { Holder, listingCity, takeList } from './support.ts';

const SUBSCRIBERS = shortOrThorough(20_000, 200_000);
const SESSIONS = SUBSCRIBERS / 4;
/** Half of all are of the facility. */
const ENTRIES = (SUBSCRIBERS + SESSIONS) / 2;
const PART = 50_000;

const { city, importSessions, importSubscriptions, holder } = listingCity();
let cursor: string;

const numbers =
  'with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2)';
/** A batch of an import has 500 keys, which bear one instant. */
const recorded = '?3 - 1000 + i / 500';

async function fill(): Promise<void> {
  await env.DB.prepare(
    `insert into changes (municipality_id, recorded_at, request_id) values (1, ?1, randomblob(16))`,
  )
    .bind(NOW)
    .run();
  const sessions = async (from: number, to: number) =>
    env.DB.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
       ${numbers} select 1, 'app1', 's' || i, 1 + i % 2, 'S' || i, cast(?3 as integer) - 1, cast(?3 as integer) + 3600000 + i, ?3 from n`,
    )
      .bind(from, to, NOW)
      .run();
  const subscriptions = async (from: number, to: number) =>
    env.DB.batch(
      [
        `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, areas, periods, recorded_at)
         ${numbers} select i, 1, 'N' || i, 1, 'approved', iif(i % 2, '["S1"]', null),
           json_array(json_array(cast(?3 as integer) - 1, cast(?3 as integer) + 1000000000)), ${recorded} from n`,
        `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
         ${numbers} select i, 1, 'P' || i, ${recorded} from n`,
      ].map((sql) => env.DB.prepare(sql).bind(from, to, NOW)),
    );
  for (let from = 1; from <= SESSIONS; from += PART) {
    await sessions(from, Math.min(SESSIONS, from + PART - 1));
  }
  for (let from = 1; from <= SUBSCRIBERS; from += PART) {
    await subscriptions(from, Math.min(SUBSCRIBERS, from + PART - 1));
  }
}

/** A step of somebody's, with what it cost. The isolate has seen the credential before. */
async function costOf(query: Record<string, string | number>) {
  const { cost, bindings } = countedBindings();
  const service = new Service(bindings);
  await takeList(service, city.headers, { limit: 1 });
  Object.assign(cost, { roundTrips: 0, rowsRead: 0 });
  const answer = await takeList(service, city.headers, query);
  return { ...answer, cost: { ...cost } };
}

beforeAll(fill, 300_000);

describe(`In a city of ${SUBSCRIBERS} subscriptions and ${SESSIONS} running sessions`, () => {
  it('the full list comes in pages, none of which reads far more than it has', async () => {
    const { cost, bindings } = countedBindings();
    const holder = new Holder(new Service(bindings), city.headers);
    const rowsRead: number[] = [];
    for (let more = true; more; ) {
      const before = cost.rowsRead;
      more = await holder.step();
      rowsRead.push(cost.rowsRead - before);
    }
    cursor = holder.cursor ?? '';
    expect(holder.entries.size).toBe(ENTRIES);
    expect(holder.fullLists).toBe(1);
    expect(rowsRead.length).toBeLessThanOrEqual(2 * Math.ceil(ENTRIES / 5_000));
    expect(Math.max(...rowsRead)).toBeLessThan(130_000);
  }, 300_000);

  it('a delta without changes reads a handful of rows', async () => {
    const { lines, cost } = await costOf({ cursor });
    expect(lines).toEqual([]);
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
    expect(cost.rowsRead).toBeLessThanOrEqual(30);
  });

  it('a delta after ten changes reads some ten rows a change', async () => {
    const periods = [{ starts_at: at(-1), ends_at: at(1_000_000_000) }];
    const session = (id: number, changed: object) => aSession(`s${id}`, { plate: `S${id}`, ...changed });
    const subscription = (id: number, changed: object) =>
      aSubscription(`N${id}`, { plates: [{ plate: `P${id}` }], periods, ...changed });
    await importSessions(
      session(1, { ends_at: at(DAY_MS) }),
      session(3, { cancelled_at: at(-1) }),
      session(5, { area_code: 'S1' }),
      session(7, { plate: 'CORRECTED' }),
      session(SESSIONS + 1, {}),
    );
    await importSubscriptions(
      subscription(2, { periods: [] }),
      subscription(4, { areas: ['S1'] }),
      subscription(6, { plates: [{ plate: 'P6' }, { plate: 'P6B' }] }),
      subscription(7, { areas: 'all' }),
      subscription(9, { areas: ['S1'], revision: 1 }),
    );
    const { lines, cost } = await costOf({ cursor });
    expect(lines.map(({ type }) => type).sort()).toEqual([
      ...Array.from({ length: 6 }, () => 'entry'),
      ...Array.from({ length: 4 }, () => 'removed'),
    ]);
    expect(cost.rowsRead).toBeLessThanOrEqual(120);
  });

  it('a delta over a subscription of hundreds of plates with a long history reads some rows a plate', async () => {
    const [plates, rounds] = [300, 4];
    const change = (round: number) =>
      importSubscriptions(
        aSubscription('FLEET', {
          periods: [{ starts_at: at(-1), ends_at: at(1_000_000_000 + round) }],
          plates: Array.from({ length: plates }, (_, index) => ({ plate: `FLEET${index}` })),
        }),
      );
    for (let round = 0; round < rounds; round += 1) await change(round);
    const held = holder();
    held.cursor = cursor;
    await held.refresh();
    await change(rounds);
    const { lines, cost } = await costOf({ cursor: held.cursor ?? '' });
    expect(lines).toHaveLength(plates);
    expect(cost.rowsRead).toBeLessThan(4 * rounds * plates);
  });

  it('a delta of thousands of sessions and of plates that left reads few of them again', async () => {
    const count = 5_000;
    const held = holder();
    held.cursor = cursor;
    await held.refresh();
    const newest =
      (await env.DB.prepare('select max(recorded_at) as at from changes').first<number>('at')) ?? 0;
    const last = newest + 1_000;
    await env.DB.batch([
      env.DB.prepare(
        `insert into past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
         ${numbers} select 10000000 + i, 1, 1, 'LEFT' || i, cast(?3 as integer), ?3 + 1 + i / 500 from n`,
      ).bind(1, count, newest),
      env.DB.prepare('update parking_sessions set recorded_at = ?1 where id <= ?2').bind(last, count),
      env.DB.prepare(
        'insert into changes (municipality_id, recorded_at, request_id) values (1, ?1, randomblob(16))',
      ).bind(last),
    ]);
    const { lines, cost } = await costOf({ cursor: held.cursor ?? '', limit: 10_000 });
    expect(lines.length).toBeGreaterThan(count);
    expect(cost.rowsRead).toBeLessThan(15 * count);
  });
});
