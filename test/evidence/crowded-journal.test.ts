import { env } from 'cloudflare:workers';
import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { CHANGES, MAX_LOOKED_AT, MAX_READ_CHANGES } from '../../src/evidence/facts-statements.ts';
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

async function costOf(asked: object): Promise<{ readonly rowsRead: number; readonly roundTrips: number }> {
  const { cost, bindings } = countedBindings();
  await ask(asked, new Service(bindings));
  return cost;
}
const rowsOf = async (asked: object) => (await costOf(asked)).rowsRead;

describe(`A plate of which the journal has ${STORED} rows`, () => {
  it('has no verdict that rests on what is not read; the structured log says whose it is', async () => {
    await flood(STORED, BEFORE, LONG_GONE);
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { status, body } = await ask();
    const [line] = error.mock.calls[0] ?? [];
    error.mockRestore();
    expect([status, body.error]).toMatchObject([
      500,
      { code: 'TEMPORARY_ERROR', message: expect.stringMatching('Asking again gives the same') },
    ]);
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

  it('has no verdict where it is that of more sessions than are looked at', async () => {
    await flood(MAX_READ_CHANGES + 1, AFTER, TOUCHING);
    await env.DB.batch(
      [
        `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
         select municipality_id, source_code, key, area_id, plate, 0, 1 from journal where key is not null`,
        'update journal set plate = null where key is not null',
      ].map((text) => env.DB.prepare(text)),
    );
    expect((await ask()).status).toBe(500);
    const gone = `delete from parking_sessions where session_id = (select min(session_id) from parking_sessions)`;
    await env.DB.prepare(gone).run();
    expect((await ask()).status).toBe(200);
    await env.DB.prepare('delete from parking_sessions').run();
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

  it('costs neither their records nor a second look where no answer could rest on them', async () => {
    await flood(STORED, BEFORE, TOUCHING);
    await env.DB.prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       select municipality_id, source_code, key, area_id, plate, record ->> '$.starts_at', record ->> '$.ends_at'
       from journal where key is not null limit 1100`,
    ).run();
    const { rowsRead, roundTrips } = await costOf({});
    await env.DB.prepare('delete from parking_sessions').run();
    expect(roundTrips).toBe(2);
    // Its sessions are looked at once more, for what they were stored as first.
    expect(rowsRead).toBeLessThan(9 * MAX_READ_CHANGES);
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
    [5_000, 200],
    [9_000, 200],
  ])('that rests on %i sessions is a %i', async (count, status) => {
    // What ended weeks before counts for nothing.
    await flood(50, BEFORE, LONG_GONE);
    await env.DB.prepare("update journal set key = 'gone' || key where key is not null").run();
    await flood(count, BEFORE, TOUCHING);
    expect((await ask()).status).toBe(status);
  });

  it.each([
    [2_000, 200],
    [2_001, 500],
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

/** Calls about the plate, one a millisecond before the officer looks. */
async function call(count: number, operation: string, before = LOOKED): Promise<void> {
  const digest = createHmac('sha256', 'digest-key-of-the-tests-long-enough')
    .update(`H501\0${PLATE}`)
    .digest('hex');
  await env.DB.prepare(
    `insert into calls (id, at, operation, municipality_code, http_status, outcome, duration_ms, plate_digest)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     select unhex(printf('%012x7000', ?3 - i) || hex(randomblob(8))), ?3 - i, ?2, 'H501', 200, 'OK', 1, unhex(?4) from n`,
  )
    .bind(count, operation, before, digest.slice(0, 32))
    .run();
}

describe('The checks of a plate', () => {
  beforeEach(async () => {
    await env.DB.prepare('delete from calls').run();
  });

  it.each([
    [199, 199, 199],
    [201, 201, 200],
    [1_000, 1_000, 200],
    [1_001, 1_000, 200],
    [5_000, 1_000, 200],
  ])(
    'of which there are %i are counted as %i, and the first %i are listed',
    async (made, counted, listed) => {
      await call(made, 'plate_check');
      const { body } = await ask();
      const checks = body.checks as { readonly at: string }[];
      expect([body.checks_count, checks.length]).toEqual([counted, listed]);
      expect(Date.parse(checks[0]?.at ?? '')).toBe(LOOKED - made);
    },
  );

  it('are found behind the calls of others about it, as far as these are looked at: else there is no answer', async () => {
    await call(1, 'plate_check');
    await call(1_999, 'evidence', LOOKED - HOUR_MS);
    expect((await ask()).body).toMatchObject({ checks_count: 1 });
    await call(1, 'evidence', LOOKED - 2 * HOUR_MS);
    expect((await ask()).status).toBe(500);
  });

  it('cost a bounded number of rows', async () => {
    await call(STORED, 'plate_check_v1');
    expect(await rowsOf({})).toBeLessThan(8 * MAX_LOOKED_AT);
  });
});

it('Evidence finds a plate’s journal by its index', async () => {
  const { results } = await env.DB.prepare(`explain query plan ${CHANGES()}`)
    .bind(1, PLATE, NOW)
    .all<{ detail: string }>();
  const plan = results.map(({ detail }) => detail).join('\n');
  expect(plan).toContain('SEARCH naming USING INDEX journal_by_plate (municipality_id=? AND plate=?)');
  expect(plan).toContain('SEARCH change USING INTEGER PRIMARY KEY (rowid=?)');
});
