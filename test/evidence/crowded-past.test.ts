import { env } from 'cloudflare:workers';
import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { MAX_READ_SESSIONS } from '../../src/domain/plate-bounds.ts';
import { MAX_VERSIONS } from '../../src/office/history/versions-table.ts';
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
  const tables = [
    ...['past_parking_sessions', 'parking_sessions'],
    ...['past_subscription_plates', 'subscription_plates', 'past_subscriptions', 'subscriptions'],
  ];
  await env.DB.batch(tables.map((table) => env.DB.prepare(`delete from ${table}`)));
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

  it('has an answer while they are 10,000, and counts 1,000 of them and lists 200', async () => {
    await flood(MAX_VERSIONS - 11, AFTER, TOUCHING);
    await storeSession(BEFORE, mine);
    const { status, body } = await ask();
    expect([status, body.as_known_then], JSON.stringify(body).slice(0, 500)).toMatchObject([
      200,
      { has_valid_parking: true, sessions_count: 1 },
    ]);
    expect([body.history_count, (body.history as object[]).length]).toEqual([1_000, 200]);
    expect((body.history as object[])[0]).toMatchObject({ key: 'mine', known_then: true });
    const times = (body.history as { readonly recorded_at: string }[]).map(({ recorded_at }) => recorded_at);
    expect(times).toEqual(times.toSorted());
    await storeSession(BEFORE + 1, { ...mine, session_id: 'one more' });
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
    expect(rowsRead).toBeLessThan(12 * MAX_VERSIONS);
  });
});

describe('A verdict as it was known then', () => {
  const SESSIONS = 10;

  it.each([
    [MAX_READ_SESSIONS, 200],
    [MAX_READ_SESSIONS + 1, 500],
  ])('that rests on %i sessions is a %i', async (sessions, status) => {
    await flood(0, BEFORE, TOUCHING, sessions);
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

  const TITLE = `(id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)`;

  it.each([
    [2_000, 200],
    [2_001, 500],
  ])('that rests on %i subscriptions is a %i', async (count, status) => {
    await run(
      `insert into subscriptions ${TITLE} ${NUMBERS} select 1 + i, 1, 'N' || i, 1, 'approved', '[]', ?2 from n`,
      ...[count, BEFORE],
    );
    await run(
      `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
       select id, 1, '${PLATE}', recorded_at from subscriptions`,
    );
    expect((await ask()).status).toBe(status);
  });

  it.each([
    [9_999, 200],
    [10_000, 500],
  ])('beside %i times that the plate was on a subscription is a %i', async (count, status) => {
    await run(`insert into subscriptions ${TITLE} values (1, 1, 'N', 1, 'approved', '[]', ?1)`, BEFORE);
    await run(
      `insert into past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
       ${NUMBERS} select i, 1, 1, '${PLATE}', ?2 + i, ?2 + i + 1 from n`,
      ...[count, BEFORE],
    );
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
    [201, 201, 200],
    [1_001, 1_000, 200],
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
});
