import { env } from 'cloudflare:workers';
import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { MAX_READ_SESSIONS } from '../../src/domain/plate-bounds.ts';
import { MAX_LOOKED_AT, MAX_VERSIONS } from '../../src/office/evidence/facts.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { countedBindings } from '../support/doubles.ts';
import { configurationVersion, storeSession } from '../support/past.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { EVIDENCE, iso } from './support.ts';

const NOW = Date.now();
/** The officer looks. */
const LOOKED = NOW - 5 * DAY_MS;
const BEFORE = LOOKED - HOUR_MS;
const AFTER = LOOKED + 3 * DAY_MS;
/** What an importer has made the past hold of one plate. */
const STORED = shortOrThorough(25_000, 200_000);
const PLATE = 'CROWDED';

let credential: TestCredential;

beforeAll(async () => {
  await seed({ ...CITY, configurationVersions: [configurationVersion(LOOKED - 30 * DAY_MS)] });
  credential = await issueCredential();
});

beforeEach(async () => {
  await env.DB.batch(
    ['parking_sessions', 'subscriptions'].map((table) => env.DB.prepare(`delete from ${table}`)),
  );
});

/** Sessions that run while the officer looks, and others that ended weeks before. */
const TOUCHING = LOOKED - HOUR_MS;
const LONG_GONE = LOOKED - 20 * DAY_MS;

const NUMBERS = 'with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ?1)';

const run = (sql: string, ...values: readonly unknown[]): Promise<D1Result> =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** Stores so many replaced versions of some sessions, one version a millisecond, and those sessions as they are now. */
async function flood(count: number, recordedAt: number, startsAt: number, sessions = 10): Promise<void> {
  const endsAt = startsAt + 2 * HOUR_MS;
  await run(
    `insert into parking_sessions (id, municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     ${NUMBERS} select 1000 + i, 1, 'app1', 'f' || i, 2, '${PLATE}', ?3, ?4, ?2 + ?5 + i from n`,
    ...[sessions, recordedAt, startsAt, endsAt, count],
  );
  await run(
    `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, ends_at, recorded_at, replaced_at)
     ${NUMBERS} select 1000 + i % ?5, 1, 2, '${PLATE}', ?3, ?4, ?2 + i, min(?2 + i + ?5, ?2 + ?1 + i % ?5) from n`,
    ...[count, recordedAt, startsAt, endsAt, sessions],
  );
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

const mine = { session_id: 'mine', plate: PLATE, starts_at: TOUCHING, ends_at: LOOKED + HOUR_MS };

describe(`A plate of which ${STORED} versions were replaced`, () => {
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
    await storeSession(BEFORE, mine);
    await flood(STORED, AFTER, TOUCHING);
    const { status, body } = await ask();
    expect([status, body.as_known_then], JSON.stringify(body).slice(0, 500)).toMatchObject([
      200,
      { has_valid_parking: true, sessions_count: 1 },
    ]);
    expect([body.history_count, (body.history as object[]).length]).toEqual([1_000, 200]);
    expect((body.history as object[])[0]).toMatchObject({ key: 'mine', known_then: true });
    const times = (body.history as { readonly recorded_at: string }[]).map(({ recorded_at }) => recorded_at);
    expect(times).toEqual(times.toSorted());
  });

  it('has no answer where more of its sessions are stored than are looked at', async () => {
    await flood(0, AFTER, 0, MAX_VERSIONS + 1);
    expect((await ask()).status).toBe(500);
    await run(`delete from parking_sessions where session_id = 'f0'`);
    expect((await ask()).status).toBe(200);
  });

  it('has no history that may lack what is not read', async () => {
    await flood(STORED, AFTER, LONG_GONE);
    expect((await ask()).status).toBe(500);
  });

  it('costs a bounded number of rows, and the evidence of another plate not one more', async () => {
    // A neighbour in the index: its entry ends the look-up.
    for (const plate of ['OTHER', 'OTHER 2']) {
      await storeSession(BEFORE, { session_id: plate, plate, starts_at: TOUCHING });
      await storeSession(BEFORE + 1, { session_id: plate, plate, starts_at: TOUCHING, ends_at: LOOKED });
    }
    const other = await rowsOf({ plate: 'OTHER' });
    await flood(STORED, BEFORE, TOUCHING);
    expect(await rowsOf({ plate: 'OTHER' })).toBe(other);
    const { rowsRead, roundTrips } = await costOf({});
    expect(roundTrips).toBe(2);
    expect(rowsRead).toBeLessThan(24 * MAX_VERSIONS);
  });
});

describe('A verdict as it was known then', () => {
  const SESSIONS = 10;

  it.each([
    [MAX_READ_SESSIONS, 200],
    [MAX_READ_SESSIONS + 1, 500],
  ])('that rests on %i versions is a %i', async (versions, status) => {
    await flood(versions - SESSIONS, BEFORE, TOUCHING, SESSIONS);
    expect((await ask()).status).toBe(status);
  });

  it('rests on one version of each session, and tells what each was then', async () => {
    await flood(100, BEFORE, TOUCHING, SESSIONS);
    await run(
      'update past_parking_sessions set ends_at = ?1 where replaced_at <= ?2',
      LOOKED - 1,
      BEFORE + 50,
    );
    const verdicts = await Promise.all(
      [40, 45, 49, 50].map(async (ms) => (await ask({ known_at: iso(BEFORE + ms) })).body.as_known_then),
    );
    expect(verdicts).toMatchObject(
      [0, 5, 9, 10].map((valid) => ({ sessions_count: SESSIONS, valid_sessions_count: valid })),
    );
  });

  const TITLE = `(id, municipality_id, subscription_number, type_id, approval, all_areas, recorded_at)`;

  it.each([
    [2_000, 200],
    [2_001, 500],
  ])('that rests on %i subscriptions is a %i', async (count, status) => {
    await run(
      `insert into subscriptions ${TITLE} ${NUMBERS} select 1 + i, 1, 'N' || i, 1, 'approved', 1, ?2 from n`,
      ...[count, BEFORE],
    );
    await run(
      `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
       select id, 1, '${PLATE}', recorded_at from subscriptions`,
    );
    expect((await ask()).status).toBe(status);
  });

  it.each([
    [10_000, 200],
    [10_001, 500],
  ])('that rests on %i times that the plate was on a subscription is a %i', async (count, status) => {
    await run(`insert into subscriptions ${TITLE} values (1, 1, 'N', 1, 'approved', 1, ?1)`, BEFORE);
    await run(
      `insert into past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
       ${NUMBERS} select i, 1, 1, '${PLATE}', ?2 + i, ?2 + i + 1 from n`,
      ...[count, BEFORE],
    );
    expect((await ask()).status).toBe(status);
  });

  /** A subscription that has changed so often, with the plate on it all the time. */
  async function changed(times: number, bytes: number): Promise<void> {
    await run(`insert into subscriptions ${TITLE} values (1, 1, 'N', 1, 'approved', 1, ?1)`, BEFORE + times);
    await run(
      `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at) values (1, 1, '${PLATE}', ?1)`,
      BEFORE,
    );
    await run(
      `insert into past_subscriptions (id, municipality_id, record, recorded_at, replaced_at)
       ${NUMBERS} select 1, 1, json_object('type', 'RES', 'approval', 'approved', 'areas', 'all', 'periods', json_array(),
         'padding', printf('%.*c', ?3, 'x')), ?2 + i, ?2 + i + 1 from n`,
      ...[times, BEFORE, bytes],
    );
  }

  it.each([
    [1_000, 200],
    [60_000, 500],
  ])('beside a history of 200 records of %i bytes and more is a %i', async (bytes, status) => {
    await changed(200, bytes);
    expect((await ask()).status).toBe(status);
  });

  it('of a plate on a subscription that has changed very often costs a bounded number of rows', async () => {
    await changed(STORED, 1);
    const { status } = await ask();
    expect([status, await rowsOf({})]).toEqual([500, expect.any(Number)]);
    expect(await rowsOf({})).toBeLessThan(8 * STORED);
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
    await call(MAX_LOOKED_AT - 1, 'evidence', LOOKED - HOUR_MS);
    expect((await ask()).body).toMatchObject({ checks_count: 1 });
    await call(1, 'evidence', LOOKED - 2 * HOUR_MS);
    expect((await ask()).status).toBe(500);
  });

  it('are not listed without those that no call looked at, however many a patrol has made', async () => {
    await call(MAX_LOOKED_AT + 1, 'evidence', LOOKED - 2 * HOUR_MS);
    await call(1, 'plate_check', LOOKED - HOUR_MS);
    await call(1_000, 'patrol');
    await env.DB.batch([
      env.DB.prepare(
        `insert into call_plates (id, position, plate_digest, outcome)
         select id, 0, plate_digest, 'entitled' from calls where operation = 'patrol'`,
      ),
      env.DB.prepare(`update calls set plate_digest = null where operation = 'patrol'`),
    ]);
    expect((await ask()).status).toBe(500);
  });

  it('cost a bounded number of rows', async () => {
    await call(STORED, 'plate_check_v1');
    expect(await rowsOf({})).toBeLessThan(8 * MAX_LOOKED_AT);
  });
});
