import { setTimeout as wait } from 'node:timers/promises';
import type { Chapter } from './chapter.ts';
import type { City } from './city.ts';
import { type Load, load } from './load.ts';
import { ratios } from './rounds.ts';
import { ask, plateCheckGranted } from './subjects.ts';

const HOURLY = '17 * * * *';
const DAY_MS = 86_400_000;
/** Longer ago than sessions are kept by default. */
const ENDED_MS = 500 * DAY_MS;
const MILLION = 1_000_000;
const ROWS_PER_INSERT = 10_000;
const WARM_UP_SECONDS = 1;
/** A run under way, not its first moment. */
const AFTER_MS = 500;

/** Plate checks while the retention runs, beside the same while it does not; one session in ten is past its retention. */
export const retention: Chapter = async ({ rounds, seconds, millions, cities }) => {
  const sessions = millions * MILLION;
  const city = await cities.of(sessions);
  await addEnded(city, sessions / 10);
  const check = plateCheckGranted(city);
  const measure = (time = seconds) => load(check.target, time, city.runtime);
  await ask(check);
  await measure(WARM_UP_SECONDS);
  const [idle, busy, deletedASecond]: [Load[], Load[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    idle.push(await measure());
    const before = await endedIn(city);
    const startedAt = performance.now();
    const run = city.runtime.cron(HOURLY);
    await wait(AFTER_MS);
    busy.push(await measure());
    await run;
    deletedASecond.push(((before - (await endedIn(city))) * 1_000) / (performance.now() - startedAt));
  }
  const among = `${millions / 10} of ${millions} million sessions to delete`;
  return {
    loads: { 'plate check, no retention': idle, 'plate check during the retention': busy },
    figures: [
      {
        what: `plate check during the retention, ${among}: 99th percentile`,
        beside: 'the same without',
        unit: '×',
        goal: '≤ 2',
        rounds: ratios(busy.map(p99), idle.map(p99)),
      },
      {
        what: 'the same: throughput',
        beside: 'the same without',
        unit: '×',
        rounds: ratios(busy.map(perSecond), idle.map(perSecond)),
      },
      { what: `retention, ${among}: deleted`, unit: 'rows/s', rounds: deletedASecond },
    ],
  };
};

const p99 = ({ p99Ms }: Load): number => p99Ms;
const perSecond = (one: Load): number => one.perSecond;

/** Sessions of long ago, of plates all over the index. */
async function addEnded({ runtime: { db } }: City, count: number): Promise<void> {
  for (let from = 0; from < count; from += ROWS_PER_INSERT) {
    await db
      .prepare(
        `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
         with recursive n(i) as (select cast(?1 as integer) union all select i + 1 from n where i < ?2)
         select 1, 'app', 'e' || (i * 7919 % 10000019), 1, 'X' || (i * 7919 % 1000003), ?3 - i, ?3 - i + 1 from n`,
      )
      .bind(from + 1, Math.min(from + ROWS_PER_INSERT, count), Date.now() - ENDED_MS)
      .run();
  }
}

async function endedIn({ runtime: { db } }: City): Promise<number> {
  const before = Date.now() - ENDED_MS + DAY_MS;
  const row = await db
    .prepare('select count(*) as there from parking_sessions where municipality_id = 1 and runs_until < ?1')
    .bind(before)
    .first<{ there: number }>();
  return row?.there ?? 0;
}
