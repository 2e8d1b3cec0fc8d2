import { clockNow } from '../../base/platform/clock.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import type { Call } from '../../serving/call.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { batch, type Query, type ResultsOf } from '../../storage/db/batch.ts';
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
/** Lines that are read before other calls of this isolate get their turn. They also get it while a batch is stored. */
const LINES_PER_TURN = 250;
/** The time of a batch, with its retries, and of all lines: the last two batches and the ending come behind that. */
const BATCH_MS = 10_000;
const LINES_MS = 85_000;

/** What differs between the imports. */
export interface Kind<Row extends Keyed> {
  /** Null if the line is rejected. */
  read(line: Line, target: Target, rejected: RejectedLines): Row | null;
  readonly erase: Erasing<Row>;
  /** A row in the parameter `lines` of these statements. */
  lineOf(row: Keyed): readonly unknown[];
  readonly find: Query<Keyed[]>;
  /** With `count` one transaction. Sent again, it changes nothing. */
  readonly store: readonly Query<unknown>[];
  readonly count: readonly [Query<Counted[]>, Query<unknown>];
}

/** An import's call. */
export interface Sent {
  readonly target: Target;
  readonly sourceCode: string | null;
  readonly isDryRun: boolean;
}

/** What became of the lines that were not rejected. */
export const noCounts = () => ({ received: 0, created: 0, updated: 0, unchanged: 0, erased: 0 });

/**
 * Imports the lines of a call's body. Only the bad line itself is rejected. Whatever breaks the import off, the lines before that
 * are stored, and sending the same file again completes it.
 *
 * @param counts goes on with each batch
 */
export async function runImport<Row extends Keyed>(
  c: Call,
  kind: Kind<Row>,
  sent: Sent,
  counts: ReturnType<typeof noCounts>,
): Promise<ImportResponse> {
  const rejected = new RejectedLines(c.get('language'));
  let isGood = false;
  try {
    await importLines(c, kind, sent, rejected, counts);
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

async function importLines<Row extends Keyed>(
  c: Call,
  kind: Kind<Row>,
  sent: Sent,
  rejected: RejectedLines,
  counts: ReturnType<typeof noCounts>,
): Promise<void> {
  let filling = new Batch<Row>();
  const store = async () => {
    const { rows, lines } = filling;
    filling = new Batch();
    if (lines === 0) return;
    const { created, updated, erased } = await withTimeout(
      BATCH_MS,
      storeRows(c, kind, sent, [...rows.values()]),
    );
    counts.created += created;
    counts.updated += updated;
    counts.unchanged += lines - created - updated;
    counts.erased += erased;
  };
  const msLeft = c.get('startedAt') + LINES_MS - performance.now();
  try {
    for await (const lines of linesOf(c.req.raw.body, IMPORT_BODY, msLeft)) {
      for (const line of lines) {
        counts.received += 1;
        if (counts.received % LINES_PER_TURN === 0) await scheduler.wait(0);
        const row = kind.read(line, sent.target, rejected);
        if (row === null) continue;
        if (!filling.hasRoomFor(row, line.bytes)) await store();
        filling.add(row, line.bytes);
      }
    }
  } finally {
    await store();
  }
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

/** Whether a line is older than another of its key: only where both have a revision. */
const isOlder = ({ revision }: Keyed, than: Keyed): boolean =>
  revision !== null && than.revision !== null && revision < than.revision;

/** The row of two lines of one key: the later one, unless its revision is lower. */
function laterOf<Row extends Keyed>(one: Row | undefined, later: Row): Row {
  return one !== undefined && isOlder(later, one) ? one : later;
}

/** Stores rows, or counts what that would do. The same rows again change nothing. */
async function storeRows<Row extends Keyed>(
  c: Call,
  kind: Kind<Row>,
  { target, sourceCode, isDryRun }: Sent,
  given: readonly Row[],
): Promise<Counted & { readonly erased: number }> {
  const { DB } = c.env;
  const of = { municipalityId: target.id, sourceCode };
  const find = async (keys: readonly string[]) => {
    const [found] = await retry(() => batch(DB, [kind.find], { ...of, keys: JSON.stringify(keys) }));
    return new Map(found.map((row) => [row.key, row]));
  };
  const store = async (rows: readonly Row[]): Promise<Counted> => {
    if (rows.length === 0) return { created: 0, updated: 0 };
    if (isDryRun) return judge(kind, rows, await find(rows.map(({ key }) => key)));
    const values = {
      ...of,
      lines: JSON.stringify(rows.map(kind.lineOf)),
      now: clockNow(),
      requestId: bytesOfId(c.get('requestId')),
    };
    const results = await retry(() => batch(DB, [...kind.store, ...kind.count], values));
    // Those of `count` are the last two.
    const [[counted]] = results.slice(-2) as ResultsOf<Kind<Row>['count']>;
    if (counted === undefined) throw new Error('a count has no row');
    return counted;
  };
  if (target.erased.size === 0) return { ...(await store(given)), erased: 0 };
  const { whole, erased } = await withoutErased(c.env, target, kind.erase, given, find);
  // They count as unchanged, whatever is stored of them.
  await store(erased);
  return { ...(await store(whole)), erased: erased.length };
}

/** What storing rows would do, as the upsert decides it. */
function judge<Row extends Keyed>(
  { lineOf }: Kind<Row>,
  rows: readonly Row[],
  known: ReadonlyMap<string, Keyed>,
): Counted {
  const contentOf = (row: Keyed) => JSON.stringify(lineOf({ ...row, revision: null }));
  let [created, updated] = [0, 0];
  for (const row of rows) {
    const stored = known.get(row.key);
    if (stored === undefined) created += 1;
    else if (!isOlder(row, stored) && contentOf(row) !== contentOf(stored)) updated += 1;
  }
  return { created, updated };
}
