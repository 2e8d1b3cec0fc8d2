import { clockNow } from '../../base/platform/clock.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import type { Call } from '../../serving/call.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { batch } from '../../storage/db/batch.ts';
import { bytesOfId } from '../../storage/db/changes.ts';
import { retry } from '../../storage/db/retry.ts';
import type { ImportResponse } from './contract.ts';
import { storeEnding } from './ending-statements.ts';
import { type Erasing, withoutErased } from './erased.ts';
import type { Progress } from './import-call.ts';
import { type Line, linesOf, MAX_LINE_BYTES } from './line-reader.ts';
import type { Judged, LineStatements } from './line-statements.ts';
import { NO_JSON_OBJECT, type Reading, RejectedLines, TOO_LONG } from './rejected-lines.ts';
import type { Target } from './target-table.ts';

/** Keys and bytes of lines that are stored at once: a database answers one statement at a time, and gates ask the same one. */
const KEYS_PER_BATCH = 500;
const BYTES_PER_BATCH = 256 * 1024;
/** Bytes of lines that are read before other calls of this isolate get their turn, and those that a line costs besides its own. */
const BYTES_PER_TURN = 32 * 1024;
const LINE_COST = 32;
/** The time of a batch, with its retries, and of all lines: the last two batches and the ending come behind that. */
const BATCH_MS = 10_000;
const LINES_MS = 85_000;

/** The row of a line. Of two of one key the later one counts, unless its revision is lower. */
interface Keyed {
  readonly key: string;
  readonly revision: number | null;
}

/** What differs between the imports. */
export interface Kind<Row extends Keyed> extends Erasing<Row> {
  read(line: object, target: Target): Reading<Row>;
  /** The row in the parameter `lines`. */
  lineOf(row: Row, isErased: boolean): readonly unknown[];
  readonly statements: LineStatements;
}

/** Of an import's call. */
export interface Sent {
  readonly target: Target;
  readonly sourceCode: string | null;
  readonly isDryRun: boolean;
  readonly progress: Progress;
}

/**
 * Imports the lines of a call's body. Only the bad line itself is rejected. Whatever breaks the import off, the lines before that
 * are stored, and sending the same file again completes it.
 */
export async function runImport<Row extends Keyed>(
  c: Call,
  kind: Kind<Row>,
  sent: Sent,
): Promise<ImportResponse> {
  const rejected = new RejectedLines(c.get('language'));
  let isGood = false;
  try {
    const counts = await importLines(c, kind, sent, rejected);
    // An empty file is good: nothing was parked.
    isGood = counts.received === 0 || rejected.count < counts.received;
    return { ...counts, rejected: rejected.count, errors: rejected.errors };
  } finally {
    if (!sent.isDryRun) {
      const { id: municipalityId, code, sourceId } = sent.target;
      const ending = storeEnding(c.env.DB, {
        ...{ municipalityId, sourceId, outcome: isGood ? 'succeeded' : 'failed' },
        ...{ begunAt: c.get('now'), now: clockNow(), digests: rejected.digests(c.env, code) },
      });
      await withTimeout(BATCH_MS, ending);
    }
  }
}

async function importLines<Row extends Keyed>(c: Call, kind: Kind<Row>, sent: Sent, rejected: RejectedLines) {
  const counts = { received: 0, created: 0, updated: 0, unchanged: 0, erased: 0 };
  let filling = new Batch<Row>();
  let storing = Promise.resolve();
  /** Stores the full batch while the next one is read: one at a time, in their order. */
  const store = async () => {
    const full = filling;
    filling = new Batch();
    await storing;
    storing = storeBatch(full);
    // The next batch, or the end, waits for it and hears of its failure.
    storing.catch(() => {});
  };
  const storeBatch = async ({ rows, lines }: Batch<Row>) => {
    if (lines === 0) return;
    const judged = await withTimeout(BATCH_MS, storeRows(c, kind, sent, [...rows.values()]));
    if (!sent.isDryRun) sent.progress.stored += judged.stored;
    counts.created += judged.created;
    counts.updated += judged.updated;
    counts.unchanged += lines - judged.created - judged.updated;
    counts.erased += judged.erased;
  };

  const endsAt = c.get('startedAt') + LINES_MS;
  const msLeft = () => Math.max(0, endsAt - performance.now());
  let bytesOfTurn = 0;
  try {
    for await (const line of linesOf(c.req.raw.body, IMPORT_BODY, msLeft)) {
      if (msLeft() === 0) throw new Error(`not all lines were read within ${LINES_MS} ms`);
      counts.received += 1;
      const read = readLine(kind, sent.target, line);
      if (read.rejection === undefined) {
        if (!filling.hasRoomFor(read.row, line.bytes)) await store();
        filling.add(read.row, line.bytes);
      } else {
        rejected.add(line.number, read.rejection, read.value);
      }
      bytesOfTurn += line.bytes + LINE_COST;
      if (bytesOfTurn < BYTES_PER_TURN) continue;
      bytesOfTurn = 0;
      await scheduler.wait(0);
    }
  } finally {
    await store();
    await storing;
  }
  return counts;
}

function readLine<Row extends Keyed>(kind: Kind<Row>, target: Target, { text, bytes }: Line) {
  if (bytes > MAX_LINE_BYTES) return { rejection: TOO_LONG, value: null };
  const value = objectIn(text);
  return value === null ? { rejection: NO_JSON_OBJECT, value } : { ...kind.read(value, target), value };
}

/** Rows that are stored at once, by key. */
class Batch<Row extends Keyed> {
  readonly rows = new Map<string, Row>();
  /** Of them, also those that gave way to another of their key. */
  lines = 0;
  #bytes = 0;

  hasRoomFor({ key, revision }: Row, bytes: number): boolean {
    const other = this.rows.get(key);
    const isFull = other === undefined && this.rows.size === KEYS_PER_BATCH;
    // Of two lines of which one has no revision, what is stored decides.
    const isMixed = other !== undefined && (other.revision === null) !== (revision === null);
    return !isFull && !isMixed && this.#bytes + bytes <= BYTES_PER_BATCH;
  }

  add(row: Row, bytes: number): void {
    this.rows.set(row.key, laterOf(this.rows.get(row.key), row));
    this.lines += 1;
    this.#bytes += bytes;
  }
}

/** Stores rows, or counts what that would do. The same rows again change nothing. */
async function storeRows<Row extends Keyed>(
  c: Call,
  kind: Kind<Row>,
  { target, sourceCode, isDryRun }: Sent,
  given: readonly Row[],
): Promise<Judged & { readonly erased: number }> {
  const { DB } = c.env;
  const { find, judge, store } = kind.statements;
  const of = { municipalityId: target.id, sourceCode };
  const rows = await withoutErased(c.env, target, kind, given, async (keys) => {
    const [found] = await retry(() => batch(DB, [find], { ...of, keys: JSON.stringify(keys) }));
    return new Set(found.map(({ key }) => key));
  });
  const lines = JSON.stringify(rows.map(({ row, without }) => kind.lineOf(row, without.length > 0)));
  const values = { ...of, lines, now: clockNow(), requestId: bytesOfId(c.get('requestId')) };
  const [[judged]] = await retry(() => batch(DB, isDryRun ? [judge] : [judge, ...store], values));
  if (judged === undefined) throw new Error('a count has no row');
  return { ...judged, erased: rows.filter(({ without }) => without.length > 0).length };
}

/** The row of two lines of one key: the later one, unless its revision is lower. */
function laterOf<Row extends Keyed>(one: Row | undefined, later: Row): Row {
  return one !== undefined && (later.revision ?? 0) < (one.revision ?? 0) ? one : later;
}

/** Parses a line as an object; null if it is no JSON, or no object. */
function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
