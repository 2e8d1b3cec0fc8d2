import type { Chapter, Figure } from './chapter.ts';
import type { City } from './city.ts';
import { MANY } from './million.ts';
import { inRounds } from './rounds.ts';

export const LINES = 20_000;
const MAX_ROUNDS = 3;
const ROWS_PER_INSERT = 100_000;
const HOUR_MS = 3_600_000;

/** A source's whole file of new sessions, into a table with nothing in it and into one with a million. */
export const imports: Chapter = async ({ rounds, cities }) => {
  const [empty, full] = [await cities.of(0), await cities.of(MANY)];
  await journalWhatIsStored(full, MANY);
  for (const city of [empty, full]) await linesPerSecond(city);
  const rates = await inRounds([[empty], [full]], Math.min(rounds, MAX_ROUNDS), linesPerSecond);
  const figure = (city: City, where: string): Figure => ({
    ...{ what: `sessions import into ${where}`, unit: 'lines/s', goal: '≥ 15,000' },
    rounds: rates.get(city) ?? [],
  });
  return { figures: [figure(empty, 'an empty table'), figure(full, 'a table of 1,000,000')] };
};

/** What was stored without an import, as if one had brought it: the journal is as full as the table. */
export async function journalWhatIsStored({ runtime: { db } }: City, sessions: number): Promise<void> {
  for (let from = 1; from <= sessions; from += ROWS_PER_INSERT) {
    await db
      .prepare(
        `insert into journal (municipality_id, kind, recorded_at, request_id, source_code, key, plate, area_id, record)
         select 1, 'parking_session', s.starts_at, 'bench', s.source_code, s.session_id, s.plate, s.area_id,
           json_object('session_id', s.session_id, 'plate', s.plate, 'area_code', a.code, 'starts_at', s.starts_at,
             'ends_at', s.ends_at, 'cancelled_at', null, 'revision', null)
         from parking_sessions as s cross join areas as a on a.id = s.area_id
         where s.id between ?1 and ?2 and not exists (select 1 from journal as j
           where j.municipality_id = 1 and j.source_code = s.source_code and j.key = s.session_id)`,
      )
      .bind(from, from + ROWS_PER_INSERT - 1)
      .run();
  }
}

/** Every file brings the same sessions, all of them new: the last one's are taken away before. */
async function linesPerSecond({ runtime: { db, service }, token }: City): Promise<number> {
  await db.batch(
    [['parking_sessions', 'session_id'] as const, ['journal', 'key'] as const].map(([table, key]) =>
      db.prepare(
        `delete from ${table}
         where municipality_id = 1 and source_code = 'app' and ${key} between 'imported' and 'imported~'`,
      ),
    ),
  );
  const body = file();
  const startedAt = performance.now();
  const response = await fetch(`${service}/api/v2/imports/sessions?municipality_code=H501&source_code=app`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  });
  // What an import answers.
  const answer = (await response.json()) as { readonly created: number };
  const seconds = (performance.now() - startedAt) / 1_000;
  if (answer.created !== LINES) {
    throw new Error(`sessions import: ${JSON.stringify(answer).slice(0, 1_000)}`);
  }
  return LINES / seconds;
}

/** New sessions of the city. */
export function file(prefix = 'imported'): string {
  const starts_at = new Date(Date.now() - HOUR_MS).toISOString();
  const ends_at = new Date(Date.now() + HOUR_MS).toISOString();
  return Array.from({ length: LINES }, (_, index) =>
    JSON.stringify({
      session_id: `${prefix}${index}`,
      plate: `Y${index}`,
      area_code: `S${index % 20}`,
      starts_at,
      ends_at,
    }),
  ).join('\n');
}
