import type { Chapter } from './chapter.ts';
import { administrate, type City, foundCity } from './city.ts';
import { ratios } from './rounds.ts';
import { startRuntime } from './runtime.ts';

const SESSIONS = 100_000;
const HOUR_MS = 3_600_000;
const PATH = '/api/v2/facilities/P1/entitlement-list';

/** A facility in which so many vehicles park, and a token for its list. */
export interface ListedFacility extends City {
  readonly sessions: number;
}

/** What a piece of work took. */
interface Spent {
  readonly seconds: number;
  /** Of the runtime's process. Not a number where there is no `/proc`. */
  readonly cpuSeconds: number;
}

/** A facility's full list, beside a Worker that does nothing but sign what the list has hashes of. */
export const lists: Chapter = async ({ rounds }) => {
  const facility = await foundFacility(SESSIONS);
  try {
    const measured: { readonly list: Spent; readonly hmacs: Spent }[] = [];
    for (let round = 0; round < rounds; round += 1) measured.push(await besideItsHmacs(facility));
    const figure = (what: string, of: (spent: Spent) => number) => ({
      ...{ what: `full list of 100,000 sessions: ${what}`, beside: 'its HMACs', unit: '×' as const },
      goal: '≤ 2',
      rounds: ratios(
        measured.map(({ list }) => of(list)),
        measured.map(({ hmacs }) => of(hmacs)),
      ),
    });
    return {
      figures: [figure('time', ({ seconds }) => seconds), figure('CPU', ({ cpuSeconds }) => cpuSeconds)],
    };
  } finally {
    await facility.runtime.stop();
  }
};

export async function foundFacility(sessions: number): Promise<ListedFacility> {
  const runtime = await startRuntime();
  await foundCity(runtime, 0);
  const { db } = runtime;
  await db.batch([
    ...['subscription_plates', 'subscriptions'].map((table) => db.prepare(`delete from ${table}`)),
    db
      .prepare(
        `insert into parking_sessions (municipality_id, source_code, session_id, area_id, plate, starts_at, ends_at, recorded_at)
         with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
         select 1, 'app', 'session-' || printf('%08d', i), 1, 'X' || i, ?2, cast(?2 as integer) + ?3 + i, ?2 from n`,
      )
      .bind(sessions, Date.now() - HOUR_MS, 2 * HOUR_MS),
  ]);
  const { access_token } = await administrate(runtime, 'POST', 'credentials', {
    tenant: 'acme',
    name: 'gate',
    scopes: ['entitlement_list'],
    municipalities: ['H501'],
    rate_limit: { limit: 10_000, window_seconds: 1 },
  });
  return { runtime, token: String(access_token), sessions };
}

/** One round: the HMACs, and the list right after them. */
export async function besideItsHmacs(facility: ListedFacility): Promise<{ list: Spent; hmacs: Spent }> {
  const { runtime, sessions } = facility;
  const hmacs = await spentOn(facility, async () => {
    const body = JSON.stringify({ sessions });
    await (await fetch(`${runtime.yardsticks}/hmacs`, { method: 'POST', body })).text();
  });
  const list = await spentOn(facility, () => takeList(facility));
  return { list, hmacs };
}

async function spentOn({ runtime }: City, work: () => Promise<void>): Promise<Spent> {
  const [startedAt, cpuBefore] = [performance.now(), runtime.cpuSeconds()];
  await work();
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: runtime.cpuSeconds() - cpuBefore,
  };
}

/** Takes all pages, as large as the service gives them. */
async function takeList({ runtime, token, sessions }: ListedFacility): Promise<void> {
  let lines = 0;
  for (let end: End = { more: true, lines: 0 }; end.more; lines += end.lines) {
    const query = new URLSearchParams({ limit: '10000', ...(end.cursor && { cursor: end.cursor }) });
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${runtime.service}${PATH}?${query}`, { headers });
    const text = await response.text();
    if (response.status !== 200) {
      throw new Error(`the list was refused: ${text.slice(0, 1_000)}`);
    }
    // The last line of an answer is its end.
    end = JSON.parse(text.slice(text.lastIndexOf('\n', text.length - 2))) as End;
  }
  if (lines !== sessions) {
    throw new Error(`the list has ${lines} lines in place of ${sessions}`);
  }
}

interface End {
  readonly more: boolean;
  readonly lines: number;
  readonly cursor?: string;
}
