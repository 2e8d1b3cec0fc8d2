import type { Chapter, Figure } from './chapter.ts';
import type { City } from './city.ts';
import { rowsReadBy } from './counted-rows.ts';
import { checkOf, PARKED, reportFromSnapshot, SUBSCRIBED } from './subjects.ts';

const SESSIONS = 10_000;
const HOUR_MS = 3_600_000;
/** Of a plate that every gate has seen today. */
const BUSY = 'BUSY';
const BUSY_SESSIONS = 30;

/** What a plate check reads, by what there is of the plate; and that a report from its snapshot reads nothing. */
export const rows: Chapter = async ({ cities }) => {
  const city = await cities.of(SESSIONS);
  await parkOften(city);
  const checks: Figure[] = [];
  for (const plate of ['NOBODY', PARKED, SUBSCRIBED, BUSY]) {
    const own = await ownRows(city, plate);
    checks.push({
      what: `plate check of a plate with ${own} rows: rows read`,
      unit: 'rows',
      goal: `≤ ${3 + 2 * own}`,
      rounds: [await rowsReadBy(city.runtime, checkOf(city, plate))],
    });
  }
  await city.runtime.cron('* * * * *');
  const { target } = reportFromSnapshot(city, Date.now);
  const report: Figure = {
    what: 'report from its snapshot: rows read',
    unit: 'rows',
    goal: '0',
    rounds: [await rowsReadBy(city.runtime, target)],
  };
  return { figures: [...checks, report] };
};

async function parkOften({ runtime: { db } }: City): Promise<void> {
  await db
    .prepare(
      `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
       select 1, 'app', 'busy' || i, (select id from areas where code = 'P1'), ?1, ?3 - i * 60000, ?3 from n`,
    )
    .bind(BUSY, BUSY_SESSIONS, Date.now() - HOUR_MS)
    .run();
}

/** The plate's sessions, its places in subscriptions, those subscriptions, and their periods. */
async function ownRows({ runtime: { db } }: City, plate: string): Promise<number> {
  const row = await db
    .prepare(
      `with own as (select subscription_id from subscription_plates where municipality_id = 1 and plate = ?1)
       select (select count(*) from parking_sessions where municipality_id = 1 and plate = ?1)
         + 2 * (select count(*) from own)
         + (select count(*) from subscription_periods where subscription_id in own) as there`,
    )
    .bind(plate)
    .first<{ there: number }>();
  return row?.there ?? 0;
}
