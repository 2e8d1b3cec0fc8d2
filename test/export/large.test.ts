import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { importLines } from '../admin/plates-support.ts';
import { City } from '../support/city.ts';
import { CITY } from '../support/seed.ts';
import { ADMIN } from '../support/service.ts';

const PLATE = 'LARGE1';
const OPTIONS = '/api/v2/parking-meters/subscription-options';
const EXPORT = '/api/v2/admin/plates/export';
const LISTS = ['sessions', 'subscriptions', 'history', 'calls'] as const;
const MIB = 1024 * 1024;
const CALLS = 150;
const SUBSCRIPTIONS = 130;
/** Of the first subscription, whose present one is among them. */
const VERSIONS = 200;
const PERIODS = 500;

type Body = Record<string, unknown>;
const city = new City(CITY);

/** A row for each number from 1, as a table `n`. */
const upTo = (most: number): string =>
  `with recursive n(value) as (select 1 union all select value + 1 from n where value < ${most})`;

beforeAll(async () => {
  const periods = Array.from({ length: PERIODS }, (_, index) => ({
    starts_at: new Date(2 * index * HOUR_MS).toISOString(),
    ends_at: new Date((2 * index + 1) * HOUR_MS).toISOString(),
  }));
  await importLines(city.service, city.headers, 'subscriptions', [
    {
      ...{ subscription_number: 'N', type: 'RES', plates: [{ plate: PLATE }] },
      ...{ approval: 'approved', areas: 'all', periods },
    },
  ]);
  await city.post(OPTIONS, { plate: PLATE, note: '' });
  await env.DB.batch(
    [
      // As long as a call was kept before their bodies had a bound.
      `update calls set request = json_set(request, '$.note', printf('%060000d', 0)) where operation = 'subscription_options'`,
      `insert into calls (id, at, operation, tenant, http_status, outcome, duration_ms, plate_digest, request, response)
        ${upTo(CALLS - 1)} select unhex(printf('%012x7000%016x', at + value % 7, value)), at + value % 7, operation, tenant, http_status, outcome, duration_ms, plate_digest,
          request, request from calls, n`,
      `insert into past_subscriptions (id, municipality_id, type_id, approval, periods, recorded_at, replaced_at)
        ${upTo(VERSIONS - 1)} select id, municipality_id, type_id, approval, periods, value, value + 1
        from subscriptions, n`,
      `update subscription_plates set recorded_at = 1`,
      `insert into subscriptions (id, municipality_id, subscription_number, type_id, approval, periods, recorded_at)
        ${upTo(SUBSCRIPTIONS - 1)} select id + value, municipality_id, 'N' || value, type_id, approval, periods, recorded_at
        from subscriptions, n`,
      `insert into subscription_plates (subscription_id, municipality_id, plate, recorded_at)
        select id, municipality_id, '${PLATE}', recorded_at from subscriptions where subscription_number <> 'N'`,
    ].map((sql) => env.DB.prepare(sql)),
  );
});

describe('An export of large calls, subscriptions and changes', () => {
  it('holds all of them, each once, on pages of a size that fits into memory', async () => {
    const found: Record<(typeof LISTS)[number], string[]> = {
      ...{ sessions: [], subscriptions: [], history: [], calls: [] },
    };
    const bytes: number[] = [];
    let after: unknown = null;
    do {
      const body: Body = (await city.post(EXPORT, { tenant: 'acme', plate: PLATE, after }, ADMIN)).body;
      bytes.push(JSON.stringify(body).length);
      for (const list of LISTS) {
        found[list].push(...(body[list] as Body[]).map((item) => JSON.stringify(item)));
      }
      after = body.next;
    } while (after !== null);
    expect(Math.max(...bytes)).toBeLessThan(7 * MIB);
    expect(bytes.length).toBeGreaterThan(5);
    const { subscriptions, history, calls } = found;
    expect([calls.length, new Set(calls).size]).toEqual([CALLS, CALLS]);
    expect([subscriptions.length, new Set(subscriptions).size]).toEqual([SUBSCRIPTIONS, SUBSCRIPTIONS]);
    // The other subscriptions have one version each.
    expect([history.length, new Set(history).size]).toEqual([
      VERSIONS + SUBSCRIPTIONS - 1,
      VERSIONS + SUBSCRIPTIONS - 1,
    ]);
    for (const subscription of subscriptions) {
      expect(JSON.parse(subscription).periods).toHaveLength(PERIODS);
    }
  });
});
