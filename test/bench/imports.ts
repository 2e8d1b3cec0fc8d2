import type { Chapter, Figure } from './chapter.ts';
import type { City } from './city.ts';
import { MANY } from './million.ts';
import { inRounds, ratios } from './rounds.ts';

export const LINES = 20_000;
const HOUR_MS = 3_600_000;

/** What a file does to what is stored: in a round, each follows the one before. */
const STEPS = [
  { what: 'new', expected: 'created', goal: '≥ 30,000', endsInHours: 1 },
  { what: 'extended', expected: 'updated', goal: '≥ 20,000', endsInHours: 2 },
  { what: 'repeated', expected: 'unchanged', goal: undefined, endsInHours: 2 },
] as const;

/** Whose import is measured, and of which sessions. */
interface Importer {
  readonly city: City;
  /** What their ids begin with. */
  readonly prefix: string;
  /** Imports a file, and answers how many of its lines were created, updated and unchanged. */
  readonly send: (body: string) => Promise<Response>;
}

/**
 * A source's whole file of sessions on streets, new, then all extended, then sent once more: into a table with nothing in it
 * and into one with a million, beside a Worker that does nothing but run the statements.
 */
export const imports: Chapter = async ({ rounds, cities }) => {
  const [empty, full] = [await cities.of(0), await cities.of(MANY)];
  const tables = [
    { table: 'an empty table', service: serviceOf(empty), bare: bareOf(empty) },
    { table: 'a table of 1,000,000', service: serviceOf(full), bare: bareOf(full) },
  ];
  const groups = tables.map(({ service, bare }) => [service, bare]);
  for (const importer of groups.flat()) await linesPerSecond(importer);
  const rates = await inRounds(groups, rounds, linesPerSecond);
  const ratesOf = (importer: Importer, step: number) =>
    (rates.get(importer) ?? []).map((round) => round[step] ?? Number.NaN);
  return {
    figures: tables.flatMap(({ table, service, bare }) =>
      STEPS.flatMap(({ what, goal }, step): Figure[] => [
        {
          ...{ what: `sessions import, ${what} lines, ${table}`, unit: 'lines/s', ...(goal && { goal }) },
          rounds: ratesOf(service, step),
        },
        {
          ...{ what: `the same, beside the statements`, beside: 'the bare statements', unit: '×' },
          rounds: ratios(ratesOf(service, step), ratesOf(bare, step)),
        },
      ]),
    ),
  };
};

const serviceOf = (city: City): Importer => ({
  ...{ city, prefix: 'imported' },
  send: (body) =>
    fetch(`${city.runtime.service}/api/v2/imports/sessions?municipality_code=H501&source_code=app`, {
      method: 'POST',
      headers: { authorization: `Bearer ${city.token}`, 'content-type': 'application/x-ndjson' },
      body,
    }),
});

const bareOf = (city: City): Importer => ({
  ...{ city, prefix: 'barely' },
  send: (body) => fetch(`${city.runtime.yardsticks}/import`, { method: 'POST', body }),
});

/** Of each of {@link STEPS}. Every round brings the same sessions: the last one's are taken away before. */
async function linesPerSecond({ city, prefix, send }: Importer): Promise<readonly number[]> {
  const { db } = city.runtime;
  await db
    .prepare(
      `delete from parking_sessions
       where municipality_id = 1 and source_code = 'app' and session_id between '${prefix}' and '${prefix}~'`,
    )
    .run();
  const now = Date.now();
  const rates: number[] = [];
  for (const { expected, endsInHours } of STEPS) {
    const body = file(prefix, now, endsInHours);
    const startedAt = performance.now();
    const response = await send(body);
    // What an import answers.
    const answer = (await response.json()) as Readonly<Record<typeof expected, number>>;
    rates.push(LINES / ((performance.now() - startedAt) / 1_000));
    if (answer[expected] !== LINES) {
      throw new Error(`sessions import: ${JSON.stringify(answer).slice(0, 1_000)}`);
    }
  }
  return rates;
}

/** New sessions of the city. */
export function file(prefix = 'imported', now = Date.now(), endsInHours = 1): string {
  const starts_at = new Date(now - HOUR_MS).toISOString();
  const ends_at = new Date(now + endsInHours * HOUR_MS).toISOString();
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
