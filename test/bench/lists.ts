import type { Chapter } from './chapter.ts';
import { type City, foundCity, issueToken } from './city.ts';
import { ratios } from './rounds.ts';
import { startRuntime } from './runtime.ts';

const SESSIONS = 100_000;
const HOUR_MS = 3_600_000;
const PATH = '/api/v2/facilities/P1/entitlement-list';

/** A facility in which so many vehicles park, and a token for its list. */
export interface ListedFacility extends City {
  readonly sessions: number;
}

/** CPU seconds of the runtime's process. Not a number where there is no `/proc`. */
interface Spent {
  readonly cpuSeconds: number;
}

/** A facility's full list, beside a Worker that does nothing but sign what the list has hashes of. */
export const lists: Chapter = async (run) => {
  const facility = await foundFacility(SESSIONS);
  try {
    const measured: { readonly list: Spent; readonly hmacs: Spent }[] = [];
    for (let round = 0; round < run.rounds; round += 1) measured.push(await besideItsHmacs(facility));
    const rounds = ratios(
      measured.map(({ list }) => list.cpuSeconds),
      measured.map(({ hmacs }) => hmacs.cpuSeconds),
    );
    const what = 'full list of 100,000 sessions: CPU';
    return { figures: [{ what, beside: 'its HMACs', unit: '×', goal: '≤ 2', rounds }] };
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
  return { runtime, token: await issueToken(runtime, ['entitlement_list']), sessions };
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
  const before = runtime.cpuSeconds();
  await work();
  return { cpuSeconds: runtime.cpuSeconds() - before };
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
