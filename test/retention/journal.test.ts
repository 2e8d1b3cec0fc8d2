import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, instant } from '../../src/domain/instant.ts';
import { deleteBefore } from '../../src/retention/retention-table.ts';
import { runRetention } from '../../src/retention/run-retention.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE, CITY } from '../support/seed.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 12));
const MINUTE_MS = 60_000;
const LONG_AGO = NOW - 500 * DAY_MS;
const BATCH = { rows: 100, bytes: 1024 };
const BEFORE = instant(NOW - DAY_MS);

interface Row {
  readonly kind: string;
  readonly at: number;
  readonly request?: string | null;
  readonly source?: string | null;
  readonly key?: string | null;
  readonly plate?: string | null;
  readonly record?: object | null;
}

/** Appends to the journal, in one order with time. */
async function append(rows: readonly Row[]): Promise<void> {
  await env.DB.prepare(
    `insert into journal (municipality_id, kind, recorded_at, request_id, source_code, key, plate, record)
     select 1, value ->> 'kind', value ->> 'at', value ->> 'request', value ->> 'source', value ->> 'key',
       value ->> 'plate', value ->> 'record' from json_each(?)`,
  )
    .bind(JSON.stringify(rows))
    .run();
}

async function kept(columns: string): Promise<unknown[]> {
  const { results } = await env.DB.prepare(`select ${columns} from journal order by sequence`).all();
  return results;
}

const anImport = (minute: number, outcome: 'succeeded' | 'failed', source = 'app1'): Row => ({
  kind: 'import',
  at: LONG_AGO + minute * MINUTE_MS,
  request: `${source} ${minute}`,
  source,
  record: { outcome },
});
const requests = async (): Promise<unknown[]> =>
  (await kept('request_id')).map((row) => (row as { request_id: unknown }).request_id);

beforeEach(async () => {
  await freshDatabase({ ...CITY, sources: [APP_SOURCE, { ...APP_SOURCE, id: 2, code: 'app2' }] });
});

describe('The retention of the journal', () => {
  it('keeps the newest import and the newest success of each source', async () => {
    await append([
      anImport(1, 'succeeded'),
      anImport(2, 'failed', 'app2'),
      anImport(3, 'succeeded'),
      anImport(4, 'failed'),
      anImport(5, 'failed'),
      anImport(6, 'failed', 'app2'),
    ]);
    await runRetention(env, NOW);
    expect(await requests()).toEqual(['app1 3', 'app1 5', 'app2 6']);
  });

  it('keeps an import until the one that replaced it is old enough itself', async () => {
    await append([
      anImport(1, 'succeeded'),
      { ...anImport(2, 'succeeded'), at: NOW - 399 * DAY_MS },
      { ...anImport(3, 'succeeded'), at: NOW - 398 * DAY_MS },
    ]);
    await runRetention(env, NOW);
    expect(await requests()).toEqual(['app1 1', 'app1 2', 'app1 3']);
    await runRetention(env, instant(NOW + 1.5 * DAY_MS));
    expect(await requests()).toEqual(['app1 2', 'app1 3']);
  });

  it('keeps the newest configuration with all of its rows', async () => {
    const configuration = (at: number, key: string | null): Row => ({
      ...{ kind: 'configuration', at: LONG_AGO + at, request: `c ${at}`, key, record: { part: key } },
    });
    await append([
      configuration(1, null),
      configuration(1, 'areas 1'),
      configuration(2, null),
      configuration(2, 'areas 1'),
      configuration(2, 'areas 2'),
    ]);
    await runRetention(env, NOW);
    expect(await kept('request_id, key')).toEqual(
      [null, 'areas 1', 'areas 2'].map((key) => ({ request_id: 'c 2', key })),
    );
  });

  it('keeps all plates of a subscription’s newest change, and none of those before', async () => {
    const change = (at: number, plate: string, record: object | null = {}): Row => ({
      ...{ kind: 'subscription', at: LONG_AGO + at, request: `r ${at}`, key: 'R-1', plate, record },
    });
    await append([
      change(1, 'A'),
      change(1, 'B'),
      change(2, 'A', null),
      change(2, 'B'),
      change(2, 'C'),
      // Of another subscription, whose number is that of none of a session's keys.
      { ...change(2, 'A'), key: 'R-2' },
    ]);
    await runRetention(env, NOW);
    expect(await kept('plate, key')).toEqual([
      { plate: 'A', key: 'R-1' },
      { plate: 'B', key: 'R-1' },
      { plate: 'C', key: 'R-1' },
      { plate: 'A', key: 'R-2' },
    ]);
  });

  it('keeps how a plate stands on a subscription, however long ago and whatever has changed of its other plates', async () => {
    const change = (at: number, plate: string, record: object | null = {}): Row => ({
      ...{ kind: 'subscription', at: LONG_AGO + at, request: `r ${at}`, key: 'R-1', plate, record },
    });
    await append([
      ...[change(1, 'A'), change(1, 'B'), change(1, 'LEFT')],
      ...[change(2, 'C'), change(3, 'LEFT', null), change(4, 'B')],
    ]);
    await runRetention(env, NOW);
    expect(await kept('plate, recorded_at as at')).toEqual(
      [['A', 1] as const, ['C', 2] as const, ['B', 4] as const].map(([plate, at]) => ({
        plate,
        at: LONG_AGO + at,
      })),
    );
  });

  it('does not take an erased plate’s row of a subscription for one that replaces those of its other plates', async () => {
    const of = (at: number, request: string | null, plate: string, record: object | null): Row => ({
      ...{ kind: 'subscription', at: LONG_AGO + at, request, key: 'R-1', plate, record },
    });
    await append([of(1, 'r', '*erased', {}), of(1, 'r', 'B', {}), of(2, null, '*erased', null)]);
    await runRetention(env, NOW);
    expect(await kept('plate')).toEqual([{ plate: 'B' }, { plate: '*erased' }]);
  });

  it('does not take a session of another source, nor a subscription of the same number, for what was replaced', async () => {
    const of = (kind: string, source: string | null): Row => ({
      ...{ kind, at: LONG_AGO, request: `${kind} ${source}`, source, key: 'X', plate: 'A', record: {} },
    });
    await append([
      of('parking_session', 'app1'),
      of('parking_session', 'app2'),
      of('subscription', null),
      of('configuration', null),
    ]);
    await runRetention(env, NOW);
    expect(await requests()).toHaveLength(4);
  });

  it('never gives a number out twice: the newest row stays, though its subject goes', async () => {
    await env.DB.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       values (1, 'app1', 'old', 1, 'AB123CD', ?1, ?1 + 1)`,
    )
      .bind(LONG_AGO)
      .run();
    await append([
      { kind: 'parking_session', at: LONG_AGO, source: 'app1', key: 'old', plate: 'AB123CD', record: {} },
    ]);
    const [newest] = await kept('sequence');
    await runRetention(env, NOW);
    expect(await kept('sequence, key, plate, record')).toEqual([
      { ...(newest as object), key: null, plate: null, record: null },
    ]);
    expect(await env.DB.prepare('select count(*) as there from parking_sessions').first('there')).toBe(0);
  });
});

describe('A batch of the retention of the journal', () => {
  /** What batches read until there is nothing left to do, each. */
  async function rowsReadByBatches(): Promise<{ readonly most: number; readonly deleted: number }> {
    let most = 0;
    let deleted = 0;
    const DB = databaseDouble({
      around: async (run) => {
        const results = (await run()) as D1Result[];
        most = Math.max(
          most,
          results.reduce((sum, { meta }) => sum + meta.rows_read, 0),
        );
        return results;
      },
    });
    for (let isDone = false; !isDone; ) {
      const batch = await deleteBefore(DB, 'replaced_journal', BEFORE, BATCH, {
        parking_session: BEFORE,
        subscription: BEFORE,
        plates: null,
      });
      deleted += batch.rows;
      isDone = batch.isDone;
    }
    return { most, deleted };
  }

  it.each(['succeeded', 'failed'] as const)(
    'reads a few rows for each that it looks at, of a source with thousands of imports that %s',
    async (outcome) => {
      await append([
        anImport(0, 'succeeded'),
        ...Array.from({ length: 5_000 }, (_, minute) => anImport(minute + 1, outcome)),
      ]);
      const { most, deleted } = await rowsReadByBatches();
      expect(deleted).toBe(outcome === 'succeeded' ? 5_000 : 4_999);
      expect(most).toBeLessThan(BATCH.rows * 12);
    },
  );

  it('reads and deletes no more of a subscription whose change has thousands of plates', async () => {
    const change = (at: number, plates: number): Row[] =>
      Array.from({ length: plates }, (_, plate) => ({
        ...{
          kind: 'subscription',
          at: LONG_AGO + at,
          request: `r ${at}`,
          key: 'R-1',
          plate: `P${plate}`,
          record: {},
        },
      }));
    await append([...change(1, 3_000), ...change(2, 3_000)]);
    const { most, deleted } = await rowsReadByBatches();
    expect(deleted).toBe(3_000);
    // Rows of one change that are next to each other are passed once a batch.
    expect(most).toBeLessThan(3_000 * 3);
  });

  it('reads a session that changed thousands of times once', async () => {
    await append(
      Array.from({ length: 5_000 }, (_, at) => ({
        ...{ kind: 'parking_session', at: LONG_AGO + at, request: `s ${at}`, source: 'app1', key: 's-1' },
        ...{ plate: 'A', record: {} },
      })),
    );
    const { most, deleted } = await rowsReadByBatches();
    expect(deleted).toBe(4_999);
    expect(most).toBeLessThan(BATCH.rows * 12);
  });
});
