import type { Chapter, Figure } from './chapter.ts';
import { type City, issueToken } from './city.ts';
import { type Load, loadInTurn } from './load.ts';
import { inRounds, ratios } from './rounds.ts';
import { plateCheckGranted } from './subjects.ts';

const LINES = 20_000;
const HOUR_MS = 3_600_000;
const SENDERS = 10;
const CHECKS_BESIDE_THEM = 800;
/** The largest file that the service takes. */
const MOST_BYTES = 8 * 1_024 * 1_024;

/** What a file does to what is stored: in a round, each follows the one before. */
const STEPS = [
  { what: 'new', expected: 'created', goal: '≥ 0.55', endsInHours: 1 },
  { what: 'extended', expected: 'updated', goal: undefined, endsInHours: 2 },
  { what: 'repeated', expected: 'unchanged', goal: undefined, endsInHours: 2 },
] as const;

/** Whose import is measured, and of which sessions. */
interface Importer {
  /** What their ids begin with. */
  readonly prefix: string;
  readonly send: (body: string) => Promise<Response>;
  /** Whether it answers how many of the lines were created, updated and unchanged. */
  readonly counts: boolean;
}

/**
 * A source's whole file of sessions on streets, new, then all extended, then sent once more, beside a Worker that does
 * nothing but run the statements; and the checks of others, beside credentials that import as much as they can.
 */
export const imports: Chapter = async ({ rounds, city }) => {
  const service: Importer = {
    ...{ prefix: 'imported', counts: true },
    send: (body) => sendSessions(city, city.token, body),
  };
  const bare: Importer = {
    ...{ prefix: 'barely', counts: false },
    send: (body) => fetch(`${city.runtime.yardsticks}/import`, { method: 'POST', body }),
  };
  const members = [service, bare];
  const measure = (importer: Importer) => linesPerSecond(city, importer);
  for (const importer of members) await measure(importer);
  const rates = await inRounds([members], rounds, measure);
  const ratesOf = (importer: Importer, step: number) =>
    (rates.get(importer) ?? []).map((round) => round[step] ?? Number.NaN);
  const figures = STEPS.flatMap(({ what, goal }, step): Figure[] => [
    { what: `sessions import, ${what} lines`, unit: 'lines/s', rounds: ratesOf(service, step) },
    {
      ...{ what: 'the same', beside: 'the bare statements', unit: '×', ...(goal && { goal }) },
      rounds: ratios(ratesOf(service, step), ratesOf(bare, step)),
    },
  ]);
  const checks: Load[] = [];
  const tokens = await Promise.all(Array.from({ length: SENDERS }, () => issueToken(city.runtime)));
  for (let round = 0; round < rounds; round += 1) checks.push(await checksBeside(city, tokens));
  const what = `plate checks beside ${SENDERS} senders`;
  const p99: Figure = {
    ...{ what: `${what}: p99`, unit: 'ms', goal: '≤ 150' },
    rounds: checks.map(({ p99Ms }) => p99Ms),
  };
  return { loads: { [what]: checks }, figures: [...figures, p99] };
};

const sendSessions = ({ runtime }: City, token: string, body: string): Promise<Response> =>
  fetch(`${runtime.service}/api/v2/imports/sessions?municipality_code=H501&source_code=app`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  });

/** Of each of {@link STEPS}. Every round brings the same sessions: the last one's are taken away before. */
async function linesPerSecond(
  { runtime: { db } }: City,
  { prefix, send, counts }: Importer,
): Promise<readonly number[]> {
  const before = `municipality_id = 1 and source_code = 'app' and session_id between '${prefix}' and '${prefix}~'`;
  await db.batch(
    [
      `delete from past_parking_sessions where id in (select id from parking_sessions where ${before})`,
      `delete from parking_sessions where ${before}`,
    ].map((sql) => db.prepare(sql)),
  );
  const now = Date.now();
  const rates: number[] = [];
  for (const { expected, endsInHours } of STEPS) {
    const body = file(prefix, now, LINES, endsInHours);
    const startedAt = performance.now();
    const response = await send(body);
    const text = await response.text();
    rates.push(LINES / ((performance.now() - startedAt) / 1_000));
    if (!response.ok || (counts && !text.includes(`"${expected}":${LINES},`))) {
      throw new Error(`sessions import: ${text.slice(0, 1_000)}`);
    }
  }
  return rates;
}

/** The load of a granted check while each of the tokens sends its largest file again and again. */
async function checksBeside(city: City, tokens: readonly string[]): Promise<Load> {
  let isOver = false;
  const sending = tokens.map(async (token, sender) => {
    const lines = file(`sender${sender}-`, Date.now(), LINES * 3).slice(0, MOST_BYTES);
    const body = lines.slice(0, lines.lastIndexOf('\n'));
    let stored = 0;
    while (!isOver) {
      // One that is refused before its body was read may break off while it is sent.
      const response = await sendSessions(city, token, body).catch(() => null);
      await response?.body?.cancel();
      stored += Number(response?.ok ?? false);
    }
    return stored;
  });
  const { target } = plateCheckGranted(city);
  const many = { requests: CHECKS_BESIDE_THEM };
  const checks = await loadInTurn([target], many, city.runtime).finally(() => {
    isOver = true;
  });
  // An isolate takes two at once: most are told to come again.
  const stored = await Promise.all(sending);
  if (stored.every((files) => files === 0)) throw new Error('no file was stored beside the checks');
  return checks;
}

/** Sessions of the city. */
function file(prefix: string, now: number, lines: number, endsInHours = 1): string {
  const starts_at = new Date(now - HOUR_MS).toISOString();
  const ends_at = new Date(now + endsInHours * HOUR_MS).toISOString();
  return Array.from({ length: lines }, (_, index) =>
    JSON.stringify({
      session_id: `${prefix}${index}`,
      plate: `Y${index}`,
      area_code: `S${index % 20}`,
      starts_at,
      ends_at,
    }),
  ).join('\n');
}
