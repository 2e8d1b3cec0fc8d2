import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { MAX_READ_CHANGES } from '../../src/domain/plate-reading.ts';
import { CHANGES } from '../../src/evidence/facts-statements.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { configurationRow, record, sessionRow, subscriptionRow } from '../support/journal.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { EVIDENCE, iso } from './support.ts';

const NOW = Date.now();
/** The officer looks. */
const LOOKED = NOW - 5 * DAY_MS;
const BEFORE = LOOKED - HOUR_MS;
const AFTER = LOOKED + 3 * DAY_MS;
/** What an importer has made the journal hold of one plate. */
const STORED = shortOrThorough(20_000, 200_000);
const PLATE = 'CROWDED';

let credential: TestCredential;

beforeAll(async () => {
  await seed(CITY);
  credential = await issueCredential();
});

beforeEach(async () => {
  await env.DB.prepare('delete from journal').run();
  await record(configurationRow(LOOKED - 30 * DAY_MS));
});

/** Sessions that run while the officer looks, and others that ended weeks before. */
const TOUCHING = LOOKED - HOUR_MS;
const LONG_GONE = LOOKED - 20 * DAY_MS;

/** Puts so many rows into the journal: of as many sessions, or of `keys`, one after the other. */
async function flood(
  count: number,
  recordedAt: number,
  startsAt: number,
  keys = count,
  padding = '',
): Promise<void> {
  await env.DB.prepare(
    `insert into journal (municipality_id, kind, recorded_at, source_code, key, plate, area_id, record)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select 1, 'parking_session', ?2, 'app1', 'f' || (i % ?3), '${PLATE}', 2, json_object('session_id', 'f' || (i % ?3),
       'plate', '${PLATE}', 'area_code', 'P1', 'starts_at', ?4, 'ends_at', ?4 + ${2 * HOUR_MS}, 'cancelled_at', null,
       'revision', null, 'padding', ?5) from n`,
  )
    .bind(count, recordedAt, keys, startsAt, padding)
    .run();
}

const ask = (asked: object = {}, service = new Service()): Promise<Answer> =>
  service.post(
    EVIDENCE,
    { plate: PLATE, municipality_code: 'H501', at: iso(LOOKED), ...asked },
    credential.headers,
  );

async function rowsOf(asked: object): Promise<number> {
  const { cost, bindings } = countedBindings();
  await ask(asked, new Service(bindings));
  return cost.rowsRead;
}

describe(`A plate of which the journal has ${STORED} rows`, () => {
  it('has no verdict that rests on what is not read; the structured log says whose it is', async () => {
    await flood(STORED, BEFORE, LONG_GONE);
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { status, body } = await ask();
    const [line] = error.mock.calls[0] ?? [];
    error.mockRestore();
    expect([status, body.error]).toMatchObject([500, { code: 'TEMPORARY_ERROR' }]);
    expect(JSON.parse(String(line))).toMatchObject({
      event: 'failure',
      municipality_code: 'H501',
      source_code: 'app1',
    });
  });

  it('has the verdict of before they came, counts 1,000 of them and lists 200', async () => {
    await record(
      sessionRow(BEFORE, {
        session_id: 'mine',
        plate: PLATE,
        starts_at: TOUCHING,
        ends_at: LOOKED + HOUR_MS,
      }),
    );
    await flood(STORED, AFTER, TOUCHING);
    const { status, body } = await ask();
    expect([status, body.as_known_then], JSON.stringify(body).slice(0, 500)).toMatchObject([
      200,
      { has_valid_parking: true, sessions_count: 1 },
    ]);
    expect([body.history_count, (body.history as object[]).length]).toEqual([1_000, 200]);
    expect((body.history as object[])[0]).toMatchObject({ key: 'mine', known_then: true });
  });

  it('has no history that may lack what is not read', async () => {
    await flood(STORED, AFTER, LONG_GONE);
    expect((await ask()).status).toBe(500);
  });

  it('costs a bounded number of rows, and the evidence of another plate not one more', async () => {
    // A neighbour in the index: its entry ends the look-up.
    for (const plate of ['OTHER', 'OTHER 2']) {
      await record(sessionRow(BEFORE, { session_id: plate, plate, starts_at: TOUCHING }));
    }
    const other = await rowsOf({ plate: 'OTHER' });
    await flood(STORED, BEFORE, TOUCHING);
    expect(await rowsOf({ plate: 'OTHER' })).toBe(other);
    expect(await rowsOf({})).toBeLessThan(8 * MAX_READ_CHANGES);
  });
});

describe('A verdict as it was known then', () => {
  it.each([
    [MAX_READ_CHANGES, 200],
    [MAX_READ_CHANGES + 1, 500],
  ])('that rests on %i rows of the journal is a %i', async (count, status) => {
    await flood(count, BEFORE, TOUCHING, 10);
    expect((await ask()).status).toBe(status);
  });

  it.each([
    [1_000, 200],
    [1_001, 500],
  ])('that rests on %i sessions is a %i', async (count, status) => {
    // What ended weeks before counts for nothing.
    await flood(50, BEFORE, LONG_GONE);
    await env.DB.prepare("update journal set key = 'gone' || key where key is not null").run();
    await flood(count, BEFORE, TOUCHING);
    expect((await ask()).status).toBe(status);
  });

  it.each([
    [200, 200],
    [201, 500],
  ])('that rests on %i subscriptions is a %i', async (count, status) => {
    await record(...Array.from({ length: count }, (_, index) => subscriptionRow(BEFORE, `N${index}`, PLATE)));
    expect((await ask()).status).toBe(status);
  });

  it.each([
    [1_000, 200],
    [60_000, 500],
  ])('that rests on 200 records of %i bytes and more is a %i', async (bytes, status) => {
    await flood(200, BEFORE, TOUCHING, 10, 'x'.repeat(bytes));
    expect((await ask()).status).toBe(status);
  });
});

it('Evidence finds a plate’s journal by its index', async () => {
  const { results } = await env.DB.prepare(`explain query plan ${CHANGES()}`)
    .bind(1, PLATE)
    .all<{ detail: string }>();
  const plan = results.map(({ detail }) => detail).join('\n');
  expect(plan).toContain('SEARCH h USING INDEX journal_by_plate (municipality_id=? AND plate=?)');
  expect(plan).toContain('SEARCH j USING INTEGER PRIMARY KEY (rowid=?)');
});
