import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { deleteBefore } from '../../src/retention/retention-table.ts';
import { runRetention } from '../../src/retention/run-retention.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const LONG_AGO = NOW - 3_000 * DAY_MS;
const OWN = [[null, null]];
const whole = (change: number) => [`T${change}`, 'approved', 'all', OWN];

interface Changed {
  /** Those whose entries are recorded, and those that leave. */
  readonly plates: readonly string[];
  readonly left?: readonly string[];
  readonly key?: string;
  readonly at?: number;
}

/** Appends changes of subscriptions as an import does; the number of the change is that of the call. */
async function append(...changes: readonly Changed[]): Promise<void> {
  const rows = changes.flatMap(({ plates, left = [], key = 'N', at = LONG_AGO }, change) => {
    const row = (plate: string | null, record: unknown) => [key, at + change, `r${change}`, plate, record];
    const [only] = plates;
    return [
      ...(plates.length > 1
        ? [row(null, whole(change)), ...plates.map((plate) => row(plate, OWN))]
        : only === undefined
          ? []
          : [row(only, whole(change))]),
      ...left.map((plate) => row(plate, null)),
    ];
  });
  await env.DB.prepare(
    `insert into journal (municipality_id, kind, key, recorded_at, request_id, plate, record)
     select 1, 'subscription', value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)`,
  )
    .bind(JSON.stringify(rows))
    .run();
}

/** What is kept: of each row its change and plate, of a shared row `*`. */
async function kept(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `select substr(request_id, 2) || coalesce(plate, '*') as row from journal where kind = 'subscription' order by sequence`,
  ).all<{ row: string }>();
  return results.map(({ row }) => row);
}

/** Rows of plates that do not rest on the shared row of their own change, and shared rows on which none rests. */
async function astray(): Promise<unknown[]> {
  const short = (row: string) => `substr(${row}.record, 1, 2) = '[['`;
  const { results } = await env.DB.prepare(
    `select j.sequence, j.plate from journal as j where j.kind = 'subscription' and (
       (${short('j')} and j.request_id is not (select s.request_id from journal as s where s.key = j.key and s.kind = j.kind
         and s.plate is null and s.sequence < j.sequence order by s.sequence desc limit 1))
       or (j.plate is null and not exists (select 1 from journal as o where o.key = j.key and o.kind = j.kind
         and o.request_id = j.request_id and ${short('o')})))`,
  ).all();
  return results;
}

/** The newest row of all is never deleted: it is of something else. */
const appendOther = () =>
  env.DB.prepare(
    `insert into journal (municipality_id, kind, recorded_at, key, record) values (1, 'configuration', ${NOW}, 'N', '{}')`,
  ).run();

const store = () =>
  env.DB.prepare(
    `insert into subscriptions (municipality_id, subscription_number, type_id, approval, authorized_until, all_areas)
     values (1, 'N', 1, 'approved', ${LONG_AGO}, 1)`,
  ).run();

beforeEach(() => freshDatabase(CITY));

describe('A row that the plates of a subscription share', () => {
  it.each<[string, readonly Changed[], readonly string[]]>([
    [
      'goes with the last of the rows that rest on it',
      [{ plates: ['A', 'B'] }, { plates: ['A', 'B'] }],
      ['1*', '1A', '1B'],
    ],
    [
      'stays while one rests on it, though a change of others has one too',
      [{ plates: ['A', 'B', 'C'] }, { plates: ['A', 'B'] }],
      ['0*', '0C', '1*', '1A', '1B'],
    ],
    [
      'goes once that one changes by itself',
      [{ plates: ['A', 'B', 'C'] }, { plates: ['A', 'B'] }, { plates: ['C'] }],
      ['1*', '1A', '1B', '2C'],
    ],
    [
      'goes where one plate is left, and others have left',
      [{ plates: ['A', 'B'] }, { plates: ['A'], left: ['B'] }, { plates: ['A'] }],
      ['2A'],
    ],
    [
      'is that of its own subscription',
      [{ plates: ['A', 'B'] }, { plates: ['A', 'B'], key: 'M' }, { plates: ['A', 'B'] }],
      ['1*', '1A', '1B', '2*', '2A', '2B'],
    ],
  ])('%s', async (_, changes, expected) => {
    await append(...changes);
    await appendOther();
    await runRetention(env, NOW);
    expect(await kept()).toEqual(expected);
    expect(await astray()).toEqual([]);
  });

  it('goes with its subscription', async () => {
    await append({ plates: ['A', 'B', 'C'] }, { plates: ['A', 'B'] });
    await appendOther();
    await store();
    await runRetention(env, NOW);
    expect(await kept()).toEqual([]);
  });

  it('goes with a history that stayed behind, once that is past its retention', async () => {
    await append({ plates: ['A', 'B'], at: NOW - DAY_MS });
    await appendOther();
    await store();
    await runRetention(env, NOW);
    expect(await kept()).toEqual(['0*', '0A', '0B']);
    await runRetention(env, instant(NOW + 2_000 * DAY_MS));
    expect(await kept()).toEqual([]);
  });

  it('is never without those that need it, in whatever steps rows go', async () => {
    const plates = ['A', 'B', 'C', 'D'];
    let random = 20_260_307;
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % below;
    };
    const changes = Array.from({ length: 150 }, () => {
      const some = plates.filter(() => next(3) > 0);
      const left = plates.filter((plate) => !some.includes(plate) && next(2) === 0);
      return { plates: some, left, key: `N${next(3)}` };
    });
    await append(...changes);
    await appendOther();
    const before = instant(NOW - DAY_MS);
    const past = { parking_session: before, subscription: before, plates: null };
    for (let isDone = false; !isDone; ) {
      ({ isDone } = await deleteBefore(env.DB, 'replaced_journal', before, { rows: 3, bytes: 1 }, past));
      expect(await astray()).toEqual([]);
    }
    const of = (key: string) => new Set(plates.map((plate) => `${key} ${plate}`));
    expect((await kept()).filter((row) => !row.endsWith('*')).length).toBeLessThanOrEqual(3 * of('N0').size);
  });
});
