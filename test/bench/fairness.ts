import type { Chapter } from './chapter.ts';
import type { City } from './city.ts';
import { checkOf, PARKED } from './subjects.ts';

const FILES = 10;
const FILE_BYTES = 8 * 1024 * 1024;
/** A check begins every so many milliseconds, whether the one before has been answered or not. */
const CHECK_EVERY_MS = 25;
const HOUR_MS = 3_600_000;
const SESSIONS = 1_000;

/** What gates wait while ten imports of 8 MiB arrive at once in the isolate that answers them. */
export const fairness: Chapter = async ({ cities }) => {
  const city = await cities.of(SESSIONS);
  const figures = [];
  for (const { what, path, lineOf } of FILE_KINDS) {
    const files = Array.from({ length: FILES }, (_, file) => fileOf((line) => lineOf(file, line)));
    const { waitsMs, seconds } = await checksDuring(city, () =>
      Promise.all(files.map(({ body }) => importFile(city, path, body))),
    );
    const lines = files.reduce((sum, file) => sum + file.lines, 0);
    const during = `while ten files of ${what} arrive`;
    figures.push(
      {
        what: `plate check ${during}: 99th percentile`,
        unit: 'ms',
        goal: '≤ 250',
        rounds: [percentile(waitsMs, 0.99)],
      } as const,
      { what: `plate check ${during}: slowest`, unit: 'ms', rounds: [percentile(waitsMs, 1)] } as const,
      { what: `ten files of ${what}`, unit: 'lines/s', rounds: [lines / seconds] } as const,
    );
  }
  return { figures };
};

interface FileKind {
  readonly what: string;
  readonly path: string;
  lineOf(file: number, line: number): object;
}

const SESSIONS_PATH = 'sessions?municipality_code=H501&source_code=app';
const text = (ms: number): string => new Date(ms).toISOString();

const FILE_KINDS: readonly FileKind[] = [
  {
    what: 'bad sessions',
    path: SESSIONS_PATH,
    lineOf: (_, line) => ({
      session: line,
      plate: 7,
      area: 'S1',
      starts_at: 'yesterday',
      ends_at: 'tomorrow',
    }),
  },
  {
    what: 'subscriptions with bad lists',
    path: 'subscriptions?municipality_code=H501',
    lineOf: (_, line) => ({
      subscription_number: `B${line}`,
      type: 'RES',
      approval: 'approved',
      areas: 'all',
      plates: Array.from({ length: 20_000 }, () => ({})),
      periods: [],
    }),
  },
  {
    what: 'new sessions',
    path: SESSIONS_PATH,
    lineOf: (file, line) => ({
      session_id: `fair${file}-${line}`,
      plate: `F${file}X${line}`,
      area_code: `S${line % 20}`,
      starts_at: text(Date.now() - HOUR_MS),
      ends_at: text(Date.now() + HOUR_MS),
    }),
  },
  {
    what: 'new subscriptions',
    path: 'subscriptions?municipality_code=H501',
    lineOf: (file, line) => ({
      subscription_number: `F${file}-${line}`,
      type: 'RES',
      approval: 'approved',
      areas: ['P1', 'S1'],
      plates: [{ plate: `G${file}X${line}` }],
      periods: [{ starts_at: text(Date.now() - HOUR_MS), ends_at: text(Date.now() + HOUR_MS) }],
    }),
  },
];

/** As many lines as an import takes. */
function fileOf(lineOf: (line: number) => object): { readonly body: string; readonly lines: number } {
  const lines: string[] = [];
  for (let bytes = 0; ; ) {
    const line = `${JSON.stringify(lineOf(lines.length))}\n`;
    bytes += line.length;
    if (bytes > FILE_BYTES) {
      return { body: lines.join(''), lines: lines.length };
    }
    lines.push(line);
  }
}

async function importFile({ runtime, token }: City, path: string, body: string): Promise<void> {
  const response = await fetch(`${runtime.service}/api/v2/imports/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body,
  });
  if (response.status !== 200) {
    throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  await response.arrayBuffer();
}

/** How long each plate check takes that begins while something goes on, and how long that takes. */
async function checksDuring(
  city: City,
  work: () => Promise<unknown>,
): Promise<{ waitsMs: number[]; seconds: number }> {
  const checks = [checkWaitMs(city)];
  const timer = setInterval(() => checks.push(checkWaitMs(city)), CHECK_EVERY_MS);
  const startedAt = performance.now();
  try {
    await work();
    const seconds = (performance.now() - startedAt) / 1_000;
    return { waitsMs: await Promise.all(checks), seconds };
  } finally {
    clearInterval(timer);
  }
}

/** A check that fails has made its gate wait as long as one that is answered. */
async function checkWaitMs(city: City): Promise<number> {
  const { url, headers, body } = checkOf(city, PARKED);
  const startedAt = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return performance.now() - startedAt;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
