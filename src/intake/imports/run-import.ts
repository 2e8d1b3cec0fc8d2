import { clockNow } from '../../base/platform/clock.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import type { Plate } from '../../domain/plate.ts';
import type { Call } from '../../serving/call.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { batch } from '../../storage/db/batch.ts';
import { bytesOfId } from '../../storage/db/changes.ts';
import { retry } from '../../storage/db/retry.ts';
import type { ImportResponse } from './contract.ts';
import { type Ending, storeEnding } from './ending-statements.ts';
import { type ErasedPlates, Erasures, type Stored } from './erased.ts';
import type { Progress } from './import-call.ts';
import { type Line, linesOf, MAX_LINE_BYTES } from './line-reader.ts';
import type { Judged, LineStatements } from './line-statements.ts';
import { RejectedLines } from './rejected.ts';
import { NO_JSON_OBJECT, type Reading, TOO_LONG } from './rejection.ts';
import type { Target } from './target-table.ts';

/** Keys and bytes of lines that are stored at once: a database answers one statement at a time, and gates ask the same one. */
const KEYS_PER_BATCH = 500;
const BYTES_PER_BATCH = 256 * 1024;
/** Lines that are read before other calls of this isolate get their turn. */
const LINES_PER_TURN = 100;
/** No good line is shorter: a session's required properties, each as short as possible, take 78 characters. */
const SHORTEST_LINE = 78;
/** The time of a batch, with its retries, and of all lines: the last batch and the ending come behind that. */
const BATCH_MS = 10_000;
const LINES_MS = 95_000;

/** The row of a line. Of two of one key the later one counts, unless its revision is lower. */
interface Keyed {
  readonly key: string;
  readonly revision: number | null;
}

/** What differs between the imports. */
export interface Kind<Row extends Keyed> {
  read(line: object, target: Target): Reading<Row>;
  platesOf(row: Row): readonly Plate[];
  withoutErased(row: Row, erased: ErasedPlates<Plate>): Stored<Row>;
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
  const one = new Import(c, kind, sent);
  let isGood = false;
  try {
    const report = await one.run();
    // An empty file is good: nothing was parked.
    isGood = report.received === 0 || report.rejected < report.received;
    return report;
  } finally {
    if (!sent.isDryRun) await one.end(isGood ? 'succeeded' : 'failed');
  }
}

class Import<Row extends Keyed> {
  readonly #call: Call;
  readonly #kind: Kind<Row>;
  readonly #sent: Sent;
  readonly #rejected: RejectedLines;
  readonly #counts = { received: 0, created: 0, updated: 0, unchanged: 0, erased: 0 };
  /** The batch that is being filled: its rows by key, the number of their lines and of their bytes. */
  #rows = new Map<string, Row>();
  #lines = 0;
  #bytes = 0;
  /** The lines that were read in this turn. */
  #read = 0;

  constructor(call: Call, kind: Kind<Row>, sent: Sent) {
    this.#call = call;
    this.#kind = kind;
    this.#sent = sent;
    this.#rejected = new RejectedLines(call.var.language);
  }

  async run(): Promise<ImportResponse> {
    const endsAt = this.#call.var.startedAt + LINES_MS;
    const msLeft = () => Math.max(0, endsAt - performance.now());
    try {
      for await (const line of linesOf(this.#call.req.raw.body, IMPORT_BODY, msLeft)) {
        if (msLeft() === 0) throw new Error(`not all lines were read within ${LINES_MS} ms`);
        await this.#take(line);
        if (this.#read < LINES_PER_TURN) continue;
        this.#read = 0;
        await scheduler.wait(0);
      }
    } finally {
      await this.#store();
    }
    return { ...this.#counts, rejected: this.#rejected.count, errors: this.#rejected.errors };
  }

  /** Records how the import has ended. */
  async end(outcome: Ending['outcome']): Promise<void> {
    const { env } = this.#call;
    const { id: municipalityId, code, sourceId } = this.#sent.target;
    const begunAt = this.#call.var.now;
    const digests = await this.#rejected.digests(env, code);
    const ending = { municipalityId, sourceId, outcome, begunAt, now: clockNow(), digests };
    await withTimeout(BATCH_MS, storeEnding(env.DB, ending));
  }

  async #take({ number, text, bytes }: Line): Promise<void> {
    this.#counts.received += 1;
    if (text.length < SHORTEST_LINE && this.#rejected.isFull) {
      // Many that are plainly bad take as long as one that is read.
      this.#read += 0.01;
      this.#rejected.count += 1;
      return;
    }
    this.#read += 1;
    const isTooLong = bytes > MAX_LINE_BYTES;
    const value = isTooLong ? null : objectIn(text);
    const reading: Reading<Row> =
      value === null
        ? { rejection: isTooLong ? TOO_LONG : NO_JSON_OBJECT }
        : this.#kind.read(value, this.#sent.target);
    if (reading.rejection === undefined) await this.#add(reading.row, bytes);
    else this.#rejected.add(number, reading.rejection, value);
  }

  /** Adds a row to the batch, behind the batch before it where that is full. */
  async #add(row: Row, bytes: number): Promise<void> {
    const other = this.#rows.get(row.key);
    const isFull = other === undefined && this.#rows.size === KEYS_PER_BATCH;
    // Of two lines of which one has no revision, what is stored decides.
    const isMixed = other !== undefined && (other.revision === null) !== (row.revision === null);
    if (isFull || isMixed || this.#bytes + bytes > BYTES_PER_BATCH) await this.#store();
    this.#rows.set(row.key, laterOf(this.#rows.get(row.key), row));
    this.#lines += 1;
    this.#bytes += bytes;
  }

  /** Stores the batch, and begins another. */
  async #store(): Promise<void> {
    const [rows, lines] = [[...this.#rows.values()], this.#lines];
    this.#rows = new Map();
    this.#lines = this.#bytes = 0;
    if (rows.length === 0) return;
    const { created, updated, stored, erased } = await withTimeout(BATCH_MS, this.#storeRows(rows));
    // Others had their turn meanwhile.
    this.#read = 0;
    if (!this.#sent.isDryRun) this.#sent.progress.stored += stored;
    this.#counts.created += created;
    this.#counts.updated += updated;
    this.#counts.unchanged += lines - created - updated;
    this.#counts.erased += erased;
  }

  async #storeRows(given: readonly Row[]): Promise<Judged & { readonly erased: number }> {
    const { DB } = this.#call.env;
    const { target, sourceCode, isDryRun } = this.#sent;
    const { find, judge, store } = this.#kind.statements;
    const of = { municipalityId: target.id, sourceCode };
    const rows = await this.#withoutErased(given, async (keys) => {
      const [found] = await retry(() => batch(DB, [find], { ...of, keys: JSON.stringify(keys) }));
      return new Set(found.map(({ key }) => key));
    });
    const lines = JSON.stringify(rows.map(({ row, without }) => this.#kind.lineOf(row, without.length > 0)));
    const values = { ...of, lines, now: clockNow(), requestId: bytesOfId(this.#call.var.requestId) };
    // The same batch again changes nothing.
    const [[judged]] = await retry(() => batch(DB, isDryRun ? [judge] : [judge, ...store], values));
    if (judged === undefined) throw new Error('a count has no row');
    return { ...judged, erased: rows.filter(({ without }) => without.length > 0).length };
  }

  async #withoutErased(
    rows: readonly Row[],
    find: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<readonly Stored<Row>[]> {
    const { code, erased: digests } = this.#sent.target;
    if (digests.size === 0) return rows.map((row) => ({ row, without: [] }));
    const erasures = new Erasures(this.#call.env, code, digests);
    const erased = await erasures.among(rows.flatMap((row) => this.#kind.platesOf(row)));
    return erasures.underKnownKeys(
      rows.map((row) => this.#kind.withoutErased(row, erased)),
      find,
    );
  }
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
