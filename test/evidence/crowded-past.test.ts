import { env } from 'cloudflare:workers';
import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/instant.ts';
import { MAX_READ_SESSIONS } from '../../src/domain/plate-bounds.ts';
import { MAX_VERSIONS } from '../../src/office/history/versions-table.ts';
import { City } from '../support/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { configurationVersion, storeSession } from '../support/past.ts';
import { CITY } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { EVIDENCE, iso } from './support.ts';

const NOW = Date.now();
/** The officer looks. */
const LOOKED = NOW - 5 * DAY_MS;
const BEFORE = LOOKED - HOUR_MS;
const AFTER = LOOKED + 3 * DAY_MS;
/** Of sessions that run while the officer looks. */
const RUNNING = { starts_at: LOOKED - HOUR_MS, ends_at: LOOKED + HOUR_MS };
const PLATE = 'CROWDED';

const city = new City(
  { ...CITY, configurationVersions: [configurationVersion(LOOKED - 30 * DAY_MS)] },
  { anew: true },
);

const NUMBERS = 'with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ?1)';
const run = (sql: string, ...values: readonly unknown[]): Promise<D1Result> =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** Stores so many replaced versions of some sessions, one version a millisecond, and those sessions as they are now. */
async function flood(count: number, recordedAt: number, sessions = 10): Promise<void> {
  await run(
    `insert into parking_sessions (id, municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
     ${NUMBERS} select 1000 + i, 1, 'app1', 'f' || i, 2, '${PLATE}', ?3, ?4, ?2 + ?5 + i from n`,
    ...[sessions, recordedAt, RUNNING.starts_at, RUNNING.ends_at, count],
  );
  await run(
    `insert into past_parking_sessions (id, municipality_id, area_id, plate, starts_at, ends_at, recorded_at, replaced_at)
     ${NUMBERS} select 1000 + i % ?5, 1, 2, '${PLATE}', ?3, ?4, ?2 + i, min(?2 + i + ?5, ?2 + ?1 + i % ?5) from n`,
    ...[count, recordedAt, RUNNING.starts_at, RUNNING.ends_at, sessions],
  );
}

const ask = (asked: object = {}, service = city.service): Promise<Answer> =>
  city.post(EVIDENCE, { plate: PLATE, municipality_code: 'H501', at: iso(LOOKED), ...asked }, {}, service);

describe('A plate of which 10,000 versions are stored', () => {
  it('has an answer, which counts 1,000 of them and lists 200', async () => {
    await flood(MAX_VERSIONS - 11, AFTER);
    await storeSession(BEFORE, { session_id: 'mine', plate: PLATE, ...RUNNING });
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

  it('has none with one more, for bounded rows; the structured log says whose it is', async () => {
    await flood(2 * MAX_VERSIONS, BEFORE);
    const { cost, bindings } = countedBindings();
    const error = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { status, body } = await ask({}, new Service(bindings));
    const [line] = error.mock.calls[0] ?? [];
    error.mockRestore();
    expect([status, body.error]).toMatchObject([
      500,
      { code: 'TEMPORARY_ERROR', message: expect.stringMatching('Asking again gives the same') },
    ]);
    const whose = { event: 'failure', municipality_code: 'H501', source_code: 'app1' };
    expect(JSON.parse(String(line))).toMatchObject(whose);
    expect(cost.rowsRead).toBeLessThan(12 * MAX_VERSIONS);
  });
});

describe('A verdict as it was known then', () => {
  const TITLE = `(id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)`;
  const storeTitles = async (count: number) => {
    await run(
      `insert into subscriptions ${TITLE} ${NUMBERS} select 1 + i, 1, 'N' || i, 1, 'approved', '[]', ?2 from n`,
      ...[count, BEFORE],
    );
    await run(
      `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
       select id, 1, '${PLATE}', recorded_at from subscriptions`,
    );
  };
  const storeSpans = async (count: number) => {
    await run(`insert into subscriptions ${TITLE} values (1, 1, 'N', 1, 'approved', '[]', ?1)`, BEFORE);
    await run(
      `insert into past_subscription_plates (id, subscription_id, municipality_id, plate, recorded_at, replaced_at)
       ${NUMBERS} select i, 1, 1, '${PLATE}', ?2 + i, ?2 + i + 1 from n`,
      ...[count, BEFORE],
    );
  };

  const BOUNDS = [
    [MAX_READ_SESSIONS, 'sessions', (count: number) => flood(0, BEFORE, count)],
    [2_000, 'subscriptions', storeTitles],
    [9_999, 'times that the plate was on a subscription', storeSpans],
  ] as const;
  it.each(
    BOUNDS.flatMap(([most, what, store]) => [
      [most, what, 200, store] as const,
      [most + 1, what, 500, store] as const,
    ]),
  )('that rests on %i %s is a %i', async (count, _, status, store) => {
    await store(count);
    expect((await ask()).status).toBe(status);
  });
});

it.each([
  [201, 201],
  [1_001, 1_000],
])(
  'The checks of a plate, if they are %i, are counted as %i, and the first 200 are listed',
  async (made, counted) => {
    const digest = createHmac('sha256', 'digest-key-of-the-tests-long-enough')
      .update(`H501\0${PLATE}`)
      .digest('hex');
    // One a millisecond before the officer looks.
    await run(
      `insert into calls (id, at, operation, municipality_code, http_status, outcome, duration_ms, plate_digest)
     ${NUMBERS} select unhex(printf('%012x7000', ?2 - i - 1) || hex(randomblob(8))), ?2 - i - 1, 'plate_check', 'H501', 200, 'OK', 1, unhex(?3) from n`,
      ...[made, LOOKED, digest.slice(0, 32)],
    );
    const { body } = await ask();
    const checks = body.checks as { readonly at: string }[];
    expect([body.checks_count, checks.length]).toEqual([counted, 200]);
    expect(Date.parse(checks[0]?.at ?? '')).toBe(LOOKED - made);
  },
);
