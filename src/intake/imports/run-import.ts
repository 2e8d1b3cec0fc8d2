import { clockNow } from '../../base/platform/clock.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import type { Call } from '../../serving/call.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { batch, type Query } from '../../storage/db/batch.ts';
import { bytesOfId } from '../../storage/db/changes.ts';
import { retry } from '../../storage/db/retry.ts';
import type { ImportResponse } from './contract.ts';
import { storeEnding } from './ending-statements.ts';
import { type Erasing, withoutErased } from './erased.ts';
import { type Line, linesOf } from './line-reader.ts';
import type { Counted, Keyed } from './line-statements.ts';
import { RejectedLines } from './rejected-lines.ts';
import type { Target } from './target-table.ts';

/** Keys and bytes of lines that are stored at once: a database answers one statement at a time, and gates ask the same one. */
const KEYS_PER_BATCH = 500;
const BYTES_PER_BATCH = 256 * 1024;
/** What is read before other calls of this isolate get their turn: some milliseconds' work. Also of a short line. */
const BYTES_PER_TURN = 64 * 1024;
const BYTES_OF_ANY_LINE = 128;
/** The time of a batch, with its retries, and of all lines: the last batches and the ending come behind that. */
const BATCH_MS = 10_000;
const LINES_MS = 85_000;

/** What differs between the imports. */
export interface Kind<Row extends Keyed> {
  /** Null if the line is rejected. */
  read(line: Line, target: Target, rejected: RejectedLines): Row | null;
  readonly erase: Erasing<Row>;
  /** A row in the parameter `lines` of these statements. */
  lineOf(row: Keyed): readonly unknown[];
  readonly findKeys: Query<Pick<Keyed, 'key'>[]>;
  /** Counts what `store` would do. */
  readonly judge: Query<Counted[]>;
  /** One transaction. Sent again, it changes nothing. */
  readonly store: readonly [...Query<unknown>[], Query<Counted[]>];
}

/**
 * The import of the lines of a call's body. Only the bad line itself is rejected. Whatever breaks it off, the lines before that are
 * stored, and sending the same file again completes it.
 */
export class Import<Row extends Keyed> {
  /** What became of the lines that were not rejected, so far. */
  readonly counts = { received: 0, created: 0, updated: 0, unchanged: 0, erased: 0 };
  /** The changes that were stored, those of erased plates included. */
  stored = 0;
  readonly #c: Call;
  readonly #kind: Kind<Row>;
  readonly #target: Target;
  readonly #isDryRun: boolean;
  readonly #rejected: RejectedLines;
  /** What is stored next, by key. */
  #rows = new Map<string, Row>();
  /** The lines of these rows, also those that gave way to another of their key, and their bytes. */
  #lines = 0;
  #bytes = 0;
  /** The batch before, which is stored while the next lines are read. */
  #storing: Promise<void> = Promise.resolve();

  constructor(c: Call, kind: Kind<Row>, target: Target, isDryRun: boolean) {
    this.#c = c;
    this.#kind = kind;
    this.#target = target;
    this.#isDryRun = isDryRun;
    this.#rejected = new RejectedLines(c.get('language'));
  }

  /** Does it, and records how it has ended. */
  async run(): Promise<ImportResponse> {
    const rejected = this.#rejected;
    let isGood = false;
    try {
      await this.#readLines();
      // An empty file is good: nothing was parked.
      isGood = this.counts.received === 0 || rejected.count < this.counts.received;
      return { ...this.counts, rejected: rejected.count, errors: rejected.errors };
    } finally {
      if (!this.#isDryRun) {
        const { id: municipalityId, code, sourceId } = this.#target;
        const { env } = this.#c;
        const ending = storeEnding(env.DB, rejected.digests(env, code), {
          ...{ municipalityId, sourceId, outcome: isGood ? 'succeeded' : 'failed' },
          ...{ begunAt: this.#c.get('now'), now: clockNow() },
        });
        await withTimeout(BATCH_MS, ending);
      }
    }
  }

  async #readLines(): Promise<void> {
    const msLeft = this.#c.get('startedAt') + LINES_MS - performance.now();
    let sinceTurn = 0;
    try {
      for await (const lines of linesOf(this.#c.req.raw.body, IMPORT_BODY, msLeft)) {
        for (const line of lines) {
          this.counts.received += 1;
          sinceTurn += line.bytes + BYTES_OF_ANY_LINE;
          if (sinceTurn > BYTES_PER_TURN) {
            sinceTurn = 0;
            await scheduler.wait(0);
          }
          const row = this.#kind.read(line, this.#target, this.#rejected);
          if (row === null) continue;
          if (!this.#hasRoomFor(row, line.bytes)) await this.#beginBatch();
          this.#rows.set(row.key, laterOf(this.#rows.get(row.key), row));
          this.#lines += 1;
          this.#bytes += line.bytes;
        }
      }
    } finally {
      await this.#beginBatch();
      await this.#storing;
    }
  }

  #hasRoomFor({ key, revision }: Row, bytes: number): boolean {
    const other = this.#rows.get(key);
    const isFull = other === undefined && this.#rows.size === KEYS_PER_BATCH;
    // Of two lines of which one has no revision, what is stored decides.
    const isMixed = other !== undefined && (other.revision === null) !== (revision === null);
    return !isFull && !isMixed && this.#bytes + bytes <= BYTES_PER_BATCH;
  }

  /** Begins to store what was read, once the batch before is stored. */
  async #beginBatch(): Promise<void> {
    await this.#storing;
    if (this.#lines === 0) return;
    this.#storing = withTimeout(BATCH_MS, this.#storeBatch([...this.#rows.values()], this.#lines));
    // Whoever awaits it meets its error.
    this.#storing.catch(() => {});
    this.#rows = new Map();
    this.#lines = this.#bytes = 0;
  }

  async #storeBatch(rows: readonly Row[], lines: number): Promise<void> {
    const find = async (keys: readonly string[]) =>
      (await this.#batch([this.#kind.findKeys], { keys: JSON.stringify(keys) }))[0];
    const { whole, erased } = await withoutErased(this.#c.env, this.#target, this.#kind.erase, rows, find);
    this.counts.erased += erased.length;
    // They count as unchanged, whatever is stored of them.
    if (!this.#isDryRun) await this.#store(erased);
    const { created, updated } = await this.#store(whole);
    this.counts.created += created;
    this.counts.updated += updated;
    this.counts.unchanged += lines - created - updated;
  }

  /** Stores rows, or counts what that would do. The same rows again change nothing. */
  async #store(rows: readonly Row[]): Promise<Counted> {
    const nothing = { created: 0, updated: 0 };
    if (rows.length === 0) return nothing;
    const { lineOf, store, judge } = this.#kind;
    const results = await this.#batch(this.#isDryRun ? [judge] : store, {
      lines: JSON.stringify(rows.map(lineOf)),
      ...{ now: clockNow(), requestId: bytesOfId(this.#c.get('requestId')) },
    });
    const [counted = nothing] = results.at(-1) as Counted[];
    if (!this.#isDryRun) this.stored += counted.created + counted.updated;
    return counted;
  }

  #batch<const Queries extends readonly Query<unknown>[]>(queries: Queries, values: object) {
    const { id: municipalityId, sourceCode } = this.#target;
    return retry(() => batch(this.#c.env.DB, queries, { municipalityId, sourceCode, ...values }));
  }
}

/** The row of two lines of one key: the later one, unless its revision is lower. Both have a revision, or neither. */
const laterOf = <Row extends Keyed>(one: Row | undefined, later: Row): Row =>
  one !== undefined && Number(later.revision) < Number(one.revision) ? one : later;
