import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { APP_SOURCE, CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  errorsOf,
  file,
  SUBSCRIPTIONS,
  send,
} from './support.ts';
import { watchedDb } from './watched-db.ts';

const PLATE = 'AB123CD';
const START = Date.parse(String(aSessionLine().starts_at));
const DAY = 24 * HOUR_MS;
const iso = (at: number): string => new Date(at).toISOString();

let headers: Record<string, string>;

beforeEach(async () => {
  await freshDatabase({ ...CITY, sources: [APP_SOURCE] });
  ({ headers } = await issueCredential());
});

const importInto = (path: string, ...lines: object[]) => send(new Service(), path, file(lines), headers);

/** Sessions of the plate, one a millisecond, the first of which ends at an instant. */
const store = (count: number, endsAt: number): Promise<unknown> =>
  env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
     with recursive n(i) as (select 0 union all select i + 1 from n where i < ?1 - 1)
     select 1, 'app1', 'x-' || i, 1, '${PLATE}', ?2 - ${HOUR_MS}, ?2 + i from n`,
  )
    .bind(count, endsAt)
    .run();

describe('A session of a plate that has 5,000 others', () => {
  it.each([
    ['which end 24 h before it, the first of them', START - DAY, 1],
    ['which end a millisecond later', START - DAY + 1, 0],
  ])('%s', async (_, endsAt, created) => {
    await store(5_000, endsAt);
    const answer = await importInto(APP1_SESSIONS, aSessionLine());
    expect(countsOf(answer)).toMatchObject({ created, rejected: 1 - created });
    expect(errorsOf(answer).map(({ code }) => code)).toEqual(created === 1 ? [] : ['TOO_MANY']);
  });

  it('counts for itself which of them end later, though an earlier one of the file counts more', async () => {
    await store(5_000, START - DAY);
    const earlier = aSessionLine({ session_id: 's-0', starts_at: iso(START - HOUR_MS) });
    const answer = await importInto(APP1_SESSIONS, earlier, aSessionLine());
    expect(countsOf(answer)).toMatchObject({ created: 1 });
    expect(errorsOf(answer)).toMatchObject([{ line: 1, code: 'TOO_MANY' }]);
  });

  it('is taken where it leaves the last place, and the next line of the file is not', async () => {
    await store(4_999, START);
    const answer = await importInto(
      APP1_SESSIONS,
      aSessionLine(),
      aSessionLine({ session_id: 's-2' }),
      aSessionLine({ session_id: 's-3', plate: 'OTHER' }),
    );
    expect(countsOf(answer)).toMatchObject({ created: 2, rejected: 1 });
    expect(errorsOf(answer)).toMatchObject([{ line: 2, code: 'TOO_MANY' }]);
  });

  it.each([
    [4_998, 2, 'to read the batch and to store it'],
    [4_999, 5, 'since its plate comes near the bound and is counted'],
  ])('or %i others takes %i round trips, %s', async (others, expected) => {
    await store(others, START);
    let trips = 0;
    const DB = watchedDb({
      before: async (statements) => {
        if (statements.some((sql) => /into "?parking_sessions|as wanted|json_group_array\("end"\)/.test(sql)))
          trips += 1;
      },
      after: () => {},
    });
    const answer = await send(new Service({ DB }), APP1_SESSIONS, file([aSessionLine()]), headers);
    expect(countsOf(answer)).toMatchObject({ created: 1 });
    expect(trips).toBe(expected);
  });

  it('is not corrected to that plate either, though the line cancels it in far future', async () => {
    await store(5_000, START);
    const other = { session_id: 's-9', plate: 'OTHER' };
    await importInto(APP1_SESSIONS, aSessionLine(other));
    const line = aSessionLine({ ...other, plate: PLATE, cancelled_at: '2099-01-01T00:00:00Z' });
    expect(errorsOf(await importInto(APP1_SESSIONS, line))).toMatchObject([{ code: 'TOO_MANY' }]);
  });

  it('is not extended by the line that cancels it in far future', async () => {
    await importInto(APP1_SESSIONS, aSessionLine());
    await store(5_000, START);
    const line = aSessionLine({ ends_at: iso(START + 2 * HOUR_MS), cancelled_at: iso(START + HOUR_MS / 2) });
    expect(errorsOf(await importInto(APP1_SESSIONS, line))).toMatchObject([{ code: 'TOO_MANY' }]);
    const cancelled = aSessionLine({ cancelled_at: iso(START + HOUR_MS / 2) });
    const answer = await importInto(APP1_SESSIONS, cancelled, line);
    expect([countsOf(answer), errorsOf(answer)]).toMatchObject([
      { updated: 1, rejected: 1 },
      [{ line: 2, code: 'TOO_MANY' }],
    ]);
  });

  it('is not extended, but ends early and is cancelled', async () => {
    await importInto(APP1_SESSIONS, aSessionLine());
    await store(5_000, START);
    const until = (ends: number, more: object = {}) =>
      importInto(APP1_SESSIONS, aSessionLine({ ends_at: iso(START + ends), ...more }));
    expect(errorsOf(await until(2 * HOUR_MS))).toMatchObject([{ code: 'TOO_MANY' }]);
    expect(countsOf(await until(HOUR_MS / 2))).toMatchObject({ updated: 1 });
    expect(countsOf(await until(HOUR_MS / 2, { cancelled_at: iso(START) }))).toMatchObject({ updated: 1 });
  });
});

describe('A subscription whose plate is on 200 others', () => {
  /** One that is not over for long. */
  const current = (changed: Record<string, unknown>) =>
    aSubscriptionLine({
      periods: [{ starts_at: '2026-01-01T00:00:00Z', ends_at: '2099-01-01T00:00:00Z' }],
      ...changed,
    });

  const fill = async (count: number) => {
    const lines = Array.from({ length: count }, (_, index) => current({ subscription_number: `X-${index}` }));
    expect(countsOf(await importInto(SUBSCRIPTIONS, ...lines))).toMatchObject({ created: count });
  };

  it('is rejected, and taken where one of them is over', async () => {
    await fill(200);
    const line = current({ plates: [{ plate: 'FREE' }, { plate: PLATE }] });
    expect(errorsOf(await importInto(SUBSCRIPTIONS, line))).toMatchObject([{ line: 1, code: 'TOO_MANY' }]);
    const over = current({ subscription_number: 'X-7', revoked_at: '2026-01-01T00:00:00Z' });
    expect(countsOf(await importInto(SUBSCRIPTIONS, over))).toMatchObject({ updated: 1 });
    expect(countsOf(await importInto(SUBSCRIPTIONS, line))).toMatchObject({ created: 1 });
  });

  it('is taken where it is over itself, however many come in one file', async () => {
    await fill(200);
    const over = Array.from({ length: 3 }, (_, index) =>
      aSubscriptionLine({ subscription_number: `OVER-${index}` }),
    );
    expect(countsOf(await importInto(SUBSCRIPTIONS, ...over))).toMatchObject({ created: 3 });
  });

  it('does not come back to last until it is revoked', async () => {
    const over = { subscription_number: 'OVER' };
    await importInto(SUBSCRIPTIONS, aSubscriptionLine(over));
    await fill(200);
    const until = { authorized_until: '2099-01-01T00:00:00Z', revoked_at: '2098-01-01T00:00:00Z' };
    const line = aSubscriptionLine({ ...over, ...until });
    expect(errorsOf(await importInto(SUBSCRIPTIONS, line))).toMatchObject([{ code: 'TOO_MANY' }]);
  });

  it('may change as long as it is one of 201 at most', async () => {
    await fill(200);
    const renewed = current({
      subscription_number: 'X-7',
      periods: [{ starts_at: '2026-01-01T00:00:00Z', ends_at: '2099-02-01T00:00:00Z' }],
    });
    expect(countsOf(await importInto(SUBSCRIPTIONS, renewed))).toMatchObject({ updated: 1 });
  });

  it('is not put on that plate while a period runs that began before a paid one which has ended', async () => {
    await fill(200);
    const other = { subscription_number: 'PAID', plates: [{ plate: 'FREE' }] };
    await importInto(SUBSCRIPTIONS, current(other));
    await env.DB.prepare(
      `insert into subscription_periods (subscription_id, starts_at, ends_at, covered_until, paid_by)
       select id, ?1, ?1 + ${DAY}, last_period_ends_at, 'P-1' from subscriptions where subscription_number = 'PAID'`,
    )
      .bind(Date.UTC(2026, 1, 1))
      .run();
    const line = current({ ...other, plates: [{ plate: PLATE }] });
    expect(errorsOf(await importInto(SUBSCRIPTIONS, line))).toMatchObject([{ code: 'TOO_MANY' }]);
  });
});
