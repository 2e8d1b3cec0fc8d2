import { retried } from '../db/retried.ts';
import type { Language } from '../text/text.ts';
import { numberedLines } from './ndjson.ts';
import { type ReconcileRule, reconcile } from './reconcile.ts';
import { type LineCode, NO_JSON_OBJECT, type Reading, type Rejection, TOO_LONG } from './rejection.ts';

/** Keys stored at once. With at most eight statements a batch, 8 MiB of the shortest lines stay under 1,000 queries. */
const KEYS_PER_BATCH = 1_000;
/** Characters of one batch's lines: at three bytes each, a batch in JSON stays under D1's 2 MB for a parameter. */
const CHARACTERS_PER_BATCH = 500_000;
/** Characters read before other calls of this isolate get their turn. */
const CHARACTERS_PER_TURN = 500_000;
/** No good line comes near it, and one that is longer could fill the memory with what is wrong with it. */
const LONGEST_LINE = 256 * 1024;
/** Rejected lines that the answer lists. The count has no bound. */
const MOST_ERRORS = 100;

/** One kind of import: how a line is read, what it does to the row of its key, and where rows live. */
export interface ImportKind<Row> {
  readonly rule: ReconcileRule<Row>;
  /** The least characters that a good line can have. */
  readonly shortestLine: number;
  readLine(value: unknown): Reading<Row>;
  /** The stored rows of these keys, by key. */
  readRows(keys: readonly string[]): Promise<ReadonlyMap<string, Row>>;
  /** Stores all of the rows or none; may be done twice. */
  writeRows(rows: readonly Row[]): Promise<void>;
}

/** What became of the lines of a file. */
export interface ImportReport {
  received: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  /** The first rejected lines. */
  readonly errors: { readonly line: number; readonly code: LineCode; readonly message: string }[];
}

/** The good lines of one key, in the order of the file. */
interface LinesOfKey<Row> {
  readonly rows: Row[];
  longest: number;
}

/**
 * Imports a file: reads all of its lines, then stores them in batches. The lines of one key are stored together, so that
 * the database never holds what a later line of the same file takes back. A bad line rejects itself alone. What fails on
 * our side is thrown; the batches before it are stored, and the same file again completes it.
 *
 * @param batchWithin gives a batch its time
 */
export async function runImport<Row>(
  text: string,
  kind: ImportKind<Row>,
  language: Language,
  batchWithin: (batch: Promise<void>) => Promise<void>,
): Promise<ImportReport> {
  const report: ImportReport = { received: 0, created: 0, updated: 0, unchanged: 0, rejected: 0, errors: [] };
  const linesByKey = await readLines(text, kind, report, language);
  for (const rows of batchesOf(linesByKey.values())) {
    await batchWithin(storeBatch(rows, kind, report));
  }
  return report;
}

/** Reads the whole file. A bad line goes to the report, a good one to those of its key. */
async function readLines<Row>(
  text: string,
  kind: ImportKind<Row>,
  report: ImportReport,
  language: Language,
): Promise<ReadonlyMap<string, LinesOfKey<Row>>> {
  const linesByKey = new Map<string, LinesOfKey<Row>>();
  let characters = 0;
  for (const line of numberedLines(text)) {
    report.received += 1;
    const reading = readLine(line.text, kind, report);
    if (reading.rejection) {
      reject(report, line.number, reading.rejection, language);
    } else {
      keep(linesByKey, kind.rule.keyOf(reading.row), reading.row, line.text.length);
    }
    characters += line.text.length;
    if (characters >= CHARACTERS_PER_TURN) {
      await scheduler.wait(0);
      characters = 0;
    }
  }
  return linesByKey;
}

function keep<Row>(linesByKey: Map<string, LinesOfKey<Row>>, key: string, row: Row, length: number): void {
  const lines = linesByKey.get(key);
  if (lines === undefined) {
    linesByKey.set(key, { rows: [row], longest: length });
  } else {
    lines.rows.push(row);
    lines.longest = Math.max(lines.longest, length);
  }
}

/** Whole keys, in the order in which the file first names them. Of each key one row will be stored. */
function* batchesOf<Row>(lines: Iterable<LinesOfKey<Row>>): Generator<readonly Row[]> {
  let rows: Row[] = [];
  let keys = 0;
  let characters = 0;
  for (const ofKey of lines) {
    if (keys === KEYS_PER_BATCH || characters + ofKey.longest > CHARACTERS_PER_BATCH) {
      yield rows;
      [rows, keys, characters] = [[], 0, 0];
    }
    for (const row of ofKey.rows) {
      rows.push(row);
    }
    keys += 1;
    characters += ofKey.longest;
  }
  if (rows.length > 0) {
    yield rows;
  }
}

function readLine<Row>(text: string, kind: ImportKind<Row>, report: ImportReport): Reading<Row> {
  if (text.length < kind.shortestLine && report.errors.length === MOST_ERRORS) {
    // Millions of tiny lines would cost minutes; none can be good, and what is wrong with them is no longer told.
    return { rejection: NO_JSON_OBJECT };
  }
  if (text.length > LONGEST_LINE) {
    return { rejection: TOO_LONG };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { rejection: NO_JSON_OBJECT };
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? kind.readLine(value) : { rejection: NO_JSON_OBJECT };
}

function reject(report: ImportReport, line: number, { code, message }: Rejection, language: Language): void {
  report.rejected += 1;
  if (report.errors.length < MOST_ERRORS) {
    report.errors.push({ line, code, message: message[language] });
  }
}

async function storeBatch<Row>(
  rows: readonly Row[],
  kind: ImportKind<Row>,
  report: ImportReport,
): Promise<void> {
  const keys = [...new Set(rows.map((row) => kind.rule.keyOf(row)))];
  const stored = await retried(() => kind.readRows(keys));
  const { changed, created, updated, unchanged } = reconcile(rows, stored, kind.rule);
  if (changed.length > 0) {
    await retried(() => kind.writeRows(changed));
  }
  report.created += created;
  report.updated += updated;
  report.unchanged += unchanged;
}
