import type { Language } from '../http/language.ts';
import { numberedLines } from './ndjson.ts';
import { type ReconcileRule, reconcile } from './reconcile.ts';
import { type LineCode, NO_JSON_OBJECT, type Reading, type Rejection } from './rejection.ts';
import { retried } from './retry.ts';

/** Lines stored at once. With at most eight statements a batch, 8 MiB of the shortest lines stay under 1,000 queries. */
const LINES_PER_BATCH = 1_000;
/** Characters read for one batch: at three bytes each, a batch in JSON stays under D1's 2 MB for a parameter. */
const CHARACTERS_PER_BATCH = 500_000;
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

/**
 * Imports a file: reads its lines and stores them batch by batch, in the order of the file. A bad line rejects itself
 * alone. What fails on our side is thrown; the batches before it are stored, and the same file again completes it.
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
  let rows: Row[] = [];
  let characters = 0;
  for (const line of numberedLines(text)) {
    report.received += 1;
    const reading = readLine(line.text, kind, report);
    if (reading.rejection) {
      reject(report, line.number, reading.rejection, language);
    } else {
      rows.push(reading.row);
    }
    characters += line.text.length;
    if (rows.length === LINES_PER_BATCH || characters >= CHARACTERS_PER_BATCH) {
      await batchWithin(storeBatch(rows, kind, report));
      rows = [];
      characters = 0;
    }
  }
  await batchWithin(storeBatch(rows, kind, report));
  return report;
}

function readLine<Row>(text: string, kind: ImportKind<Row>, report: ImportReport): Reading<Row> {
  if (text.length < kind.shortestLine && report.errors.length === MOST_ERRORS) {
    // Millions of tiny lines would cost minutes; none can be good, and what is wrong with them is no longer told.
    return { rejection: NO_JSON_OBJECT };
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
  if (rows.length === 0) {
    // Nothing but bad lines: other calls of this isolate get their turn all the same.
    await scheduler.wait(0);
    return;
  }
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
