import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { refreshSnapshots } from '../../src/core/snapshots/refresh.ts';
import { DAY_MS, HOUR_MS, instant, MINUTE_MS } from '../../src/domain/instant.ts';
import { countedBindings } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';

const NOW = instant(Date.UTC(2026, 2, 7, 11));
const MUNICIPALITIES = 200;
const AREAS = shortOrThorough(200, 2_000);
const RUNNING = shortOrThorough(40_000, 100_000);
const OVER = RUNNING / 2;
/** Cancelled before the instant, though they would run still. */
const CANCELLED = RUNNING / 20;
/** Booked for later than a report looks. */
const AHEAD = RUNNING / 5;
/** What the index by end leads to. Its rows know no cancellation; and no index serves both ends of an interval. */
const MET = RUNNING + CANCELLED + AHEAD;

const counting = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)';

async function insertSessions(
  count: number,
  name: string,
  startsAt: string,
  endsAt: string,
  cancelledAt = 'null',
): Promise<void> {
  await env.DB.prepare(
    `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at,
       cancelled_at, recorded_at)
     ${counting}
     select a.municipality_id, 'app1', ?3 || i, a.id, 'P' || (i * 7919 % 90000), ${startsAt}, ${endsAt},
       ${cancelledAt}, 0
     from n cross join areas a on a.id = 1 + i * 31 % ?4`,
  )
    .bind(count, NOW, name, AREAS)
    .run();
}

async function insertAllSessions(): Promise<void> {
  const later = `?2 + ${2 * HOUR_MS} + i`;
  await insertSessions(RUNNING, 'running', `?2 - ${HOUR_MS} + i`, later);
  await insertSessions(CANCELLED, 'cancelled', `?2 - ${HOUR_MS} + i`, later, '?2 - i');
  await insertSessions(AHEAD, 'ahead', `?2 + ${HOUR_MS} + ${MINUTE_MS} + i`, `?2 + ${DAY_MS} + i`);
  await insertSessions(OVER, 'over', `?2 - ${DAY_MS} - i`, '?2 - i');
  // Forgotten stops of days ago: they end with their source's patience, not in their row.
  await insertSessions(OVER, 'forgotten', `?2 - ${4 * DAY_MS} - i`, 'null');
}

beforeAll(async () => {
  await seed({ tenants: CITY.tenants });
  await env.DB.batch([
    env.DB.prepare(
      `insert into municipalities (id, tenant_id, code, name, time_zone, active, plate_check_enabled,
         subscriptions_enabled, subscription_options_enabled, report_enabled)
       ${counting} select i, 1, 'M' || i, 'M', 'Europe/Rome', 1, 1, 1, 1, 1 from n`,
    ).bind(MUNICIPALITIES),
    env.DB.prepare(
      `insert into areas (id, municipality_id, code, name, area_type, capacity, active, service_enabled,
         plate_control_enabled, subscription_access, entry_grace_minutes, exit_grace_minutes)
       ${counting} select i, 1 + i % ?2, 'A' || i, 'Area', 'street', 50, 1, 1, 1, 0, 0, 0 from n`,
    ).bind(AREAS, MUNICIPALITIES),
    env.DB.prepare(
      `insert into sources (municipality_id, code, name, category, is_system, active, stale_after_minutes,
         report_delay_minutes, open_session_max_hours)
       ${counting} select i, 'app1', 'App', 'app', 0, 1, 15, 5, 72 from n`,
    ).bind(MUNICIPALITIES),
  ]);
  await insertAllSessions();
}, 120_000);

describe(`A minute with ${MUNICIPALITIES} municipalities, ${AREAS} areas, ${RUNNING} running sessions`, () => {
  it('reads at most 1.1 rows a session that runs, is cancelled or booked, and writes one value each', async () => {
    const { cost, bindings } = countedBindings();
    await refreshSnapshots({ ...env, ...bindings }, () => NOW);
    expect(cost.rowsRead / MET).toBeLessThanOrEqual(1.1);
    // The snapshots, the directory of public municipalities, and when they were renewed.
    expect(cost.kvCalls).toBe(MUNICIPALITIES + 2);
    // The list, the batches, and the list again, for the directory.
    expect(cost.roundTrips).toBe(1 + MUNICIPALITIES / 25 + 1);
  });
});
