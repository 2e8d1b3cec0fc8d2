import type { Chapter } from './chapter.ts';
import { costSince } from './counted-rows.ts';
import { inRounds, ratios } from './rounds.ts';
import { type Runtime, startRuntime } from './runtime.ts';

const MUNICIPALITIES = 200;
const AREAS = 2_000;
const RUNNING = 100_000;
const HOUR_MS = 3_600_000;
const EVERY_MINUTE = '* * * * *';

/** The minute's run over 200 municipalities with 2,000 areas, beside the reading of the same sessions and nothing made of them. */
export const cron: Chapter = async ({ rounds }) => {
  const runtime = await startRuntime();
  try {
    await foundCountry(runtime);
    await runtime.cron(EVERY_MINUTE);
    await readRunning(runtime);
    const run = () => runtime.cron(EVERY_MINUTE);
    const read = () => readRunning(runtime);
    const seconds = await inRounds([[run, read]], rounds, secondsOf);
    const runs = seconds.get(run) ?? [];
    await costSince(runtime.counted);
    await runtime.cron(EVERY_MINUTE, 'counted');
    const what = "a minute's run over 100,000 running sessions";
    return {
      figures: [
        { what, unit: 's', goal: '≤ 10', rounds: runs },
        {
          what: `${what}: time`,
          beside: 'the running sessions read',
          unit: '×',
          rounds: ratios(runs, seconds.get(read) ?? []),
        },
        {
          what: `${what}: rows read a running session`,
          unit: 'rows',
          goal: '≤ 1.2',
          rounds: [(await costSince(runtime.counted)).rows / RUNNING],
        },
      ],
    };
  } finally {
    await runtime.stop();
  }
};

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

async function readRunning({ yardsticks }: Runtime): Promise<void> {
  const body = JSON.stringify({ municipalities: MUNICIPALITIES });
  const response = await fetch(`${yardsticks}/read-running`, { method: 'POST', body });
  // What the yardstick answers.
  const { running } = (await response.json()) as { readonly running: number };
  if (running !== RUNNING) {
    throw new Error(`the yardstick reads ${running} running sessions`);
  }
}

const counting = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)';

async function foundCountry({ db }: Runtime): Promise<void> {
  await db.batch([
    db.prepare(`insert into tenants (id, code, name, active) values (1, 'acme', 'Acme', 1)`),
    db
      .prepare(
        `insert into municipalities (id, tenant_id, code, name, time_zone, active, plate_check_enabled,
           subscriptions_enabled, subscription_options_enabled, report_enabled)
         ${counting} select i, 1, 'M' || i, 'M', 'Europe/Rome', 1, 1, 1, 1, 1 from n`,
      )
      .bind(MUNICIPALITIES),
    db
      .prepare(
        `insert into areas (id, municipality_id, code, name, area_type, capacity, active, service_enabled,
           plate_control_enabled, subscription_access, entry_grace_minutes, exit_grace_minutes)
         ${counting} select i, 1 + i % ?2, 'A' || i, 'Area', 'street', 50, 1, 1, 1, 0, 0, 0 from n`,
      )
      .bind(AREAS, MUNICIPALITIES),
    db
      .prepare(
        `insert into sources (municipality_id, code, name, category, is_system, active, stale_after_minutes,
           open_session_max_hours)
         ${counting} select i, 'app', 'App', 'app', 0, 1, 15, 72 from n`,
      )
      .bind(MUNICIPALITIES),
    db
      .prepare(
        `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
         ${counting}
         select a.municipality_id, 'app', 's' || i, a.id, 'P' || i, ?2 - i, ?2 + ?3 + i
         from n cross join areas a on a.id = 1 + i * 31 % ?4`,
      )
      .bind(RUNNING, Date.now() - HOUR_MS, 3 * HOUR_MS, AREAS),
  ]);
}
