import { retried } from '../db/retried.ts';
import type { Language } from '../text/text.ts';
import { ChangedMeanwhile } from './changed-meanwhile.ts';
import type { BatchCount, DayRoom } from './day-room.ts';
import { endOfLine, lineAt, turnsOf } from './ndjson.ts';
import { type ReconcileRule, Reconciliation } from './reconcile.ts';
import { type LinePlace, RejectedLines } from './rejected-lines.ts';
import { type LineCode, NO_JSON_OBJECT, NO_ROOM_TODAY, type Reading, TOO_LONG } from './rejection.ts';

const KIB = 1024;
/**
 * Keys read and stored at once: a database answers one statement at a time, and gates ask the same one. With four
 * statements a batch of sessions, 8 MiB of the shortest lines stay under the 1,000 that D1 takes of one request.
 */
const KEYS_PER_BATCH = 480;
/** Bytes of one batch's rows, as their lines say them: a subscription may have a thousand rows of its own. */
const BYTES_PER_BATCH = 128 * KIB;
/** Bytes read before other calls of this isolate get their turn. */
const BYTES_PER_TURN = 64 * KIB;
/** No good line comes near it, and one that is longer could fill the memory with what is wrong with it. */
const LONGEST_LINE = 256 * KIB;
/** Rejected lines that the answer lists. The count has no bound. */
const MOST_ERRORS = 100;

/** One kind of import: how a line is read, what it does to the row of its key, and where rows live. */
export interface ImportKind<Row> {
  readonly rule: ReconcileRule<Row>;
  /** The least characters that a good line can have. */
  readonly shortestLine: number;
  /** The key of a line; null where it has none, so that it cannot be good. */
  keyOf(line: object): string | null;
  readLine(line: object): Reading<Row>;
  /** The row of a line without the plates that were erased from it: to be asked once the rows of its key are read. */
  withoutErased?(row: Row): Promise<Row>;
  /** The stored rows of these keys, by key. Begins a batch. */
  readRows(keys: readonly string[]): Promise<ReadonlyMap<string, Row>>;
  /** What the day has room for. */
  readRoom(): Promise<DayRoom>;
  /**
   * Stores all of the rows or none; may be done twice.
   *
   * @throws ChangedMeanwhile when a plate was erased after the rows were read, or others have taken the room of the day
   */
  writeRows(rows: readonly Row[], count: Omit<BatchCount, 'day'>): Promise<void>;
}

/** How an import shares its isolate and its database. */
export interface Pace {
  /** Lets other calls have their turn; resolves when the import may go on. */
  nextTurn(): Promise<void>;
  /** Gives a batch its time; begins it when the import may go on. */
  inTime<T>(batch: () => Promise<T>): Promise<T>;
}

/** What became of the lines of a file. */
export interface ImportReport {
  readonly received: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** The first rejected lines. */
  readonly errors: { readonly line: number; readonly code: LineCode; readonly message: string }[];
}

/**
 * Imports a file: finds the lines of each key, then reads and stores them in batches of keys. Between the two it
 * remembers where lines begin, not what they say: a file of 8 MiB would be many times that in rows.
 *
 * The lines of one key are stored together, so that the database never holds what a later line of the same file takes
 * back. A bad line rejects itself alone. What fails on our side is thrown; the batches before it are stored, and the
 * same file again completes it.
 *
 * @param file newline-delimited JSON in UTF-8
 */
export async function runImport<Row>(
  file: Uint8Array,
  kind: ImportKind<Row>,
  language: Language,
  pace: Pace,
): Promise<ImportReport> {
  return new Import(file, kind, pace).run(language);
}

/** Where the lines of each key stand, in the order of the file. */
type LinesByKey = ReadonlyMap<string, readonly LinePlace[]>;

class Import<Row> {
  readonly #file: Uint8Array;
  readonly #kind: ImportKind<Row>;
  readonly #pace: Pace;
  readonly #rejected = new RejectedLines(MOST_ERRORS);
  readonly #counts = { received: 0, created: 0, updated: 0, unchanged: 0 };
  #bytesOfTurn = 0;

  constructor(file: Uint8Array, kind: ImportKind<Row>, pace: Pace) {
    this.#file = file;
    this.#kind = kind;
    this.#pace = pace;
  }

  async run(language: Language): Promise<ImportReport> {
    for (const batch of batchesOf(this.#file, await this.#findLines())) {
      await this.#pace.inTime(() => this.#store(batch));
    }
    return { ...this.#counts, rejected: this.#rejected.count, errors: await this.#errors(language) };
  }

  /** Looks through the whole file. What has no key is rejected, all else waits for its batch. */
  async #findLines(): Promise<LinesByKey> {
    const linesByKey = new Map<string, LinePlace[]>();
    for (const lines of turnsOf(this.#file, BYTES_PER_TURN)) {
      for (const { number, from, text } of lines) {
        this.#counts.received += 1;
        const key = text.length < this.#kind.shortestLine ? null : this.#keyOf(text);
        if (key === null) {
          this.#rejected.add({ number, from });
        } else {
          addTo(linesByKey, key, { number, from });
        }
      }
      await this.#pace.nextTurn();
    }
    return linesByKey;
  }

  #keyOf(text: string): string | null {
    const object = objectIn(text);
    return object === null || text.length > LONGEST_LINE ? null : this.#kind.keyOf(object);
  }

  /** Begins again where a plate was erased meanwhile, or others have taken the room of the day. */
  async #store(batch: LinesByKey): Promise<void> {
    let isStored = false;
    for (let attempt = 1; !isStored; attempt++) {
      isStored = await this.#storeUnlessChanged(batch, attempt === 1);
    }
  }

  async #storeUnlessChanged(batch: LinesByKey, isFirst: boolean): Promise<boolean> {
    try {
      await this.#storeOnce(batch, isFirst);
      return true;
    } catch (error) {
      if (error instanceof ChangedMeanwhile) {
        return false;
      }
      throw error;
    }
  }

  async #storeOnce(batch: LinesByKey, isFirst: boolean): Promise<void> {
    let reconciliation: Reconciliation<Row> | undefined;
    const withoutRoom: LinePlace[] = [];
    for (const place of [...batch.values()].flat()) {
      const reading = await this.#read(place);
      if (reading.rejection) {
        if (isFirst) {
          this.#rejected.add(place);
        }
      } else {
        reconciliation ??= await this.#beginReconciliation([...batch.keys()]);
        if (!reconciliation.add((await this.#kind.withoutErased?.(reading.row)) ?? reading.row)) {
          withoutRoom.push(place);
        }
      }
    }
    if (reconciliation === undefined) {
      return;
    }
    const { changed, created, updated, unchanged, count } = reconciliation.outcome();
    if (changed.length > 0) {
      await retried(() => this.#kind.writeRows(changed, count));
    }
    for (const place of withoutRoom) {
      this.#rejected.add({ ...place, rejection: NO_ROOM_TODAY });
    }
    this.#counts.created += created;
    this.#counts.updated += updated;
    this.#counts.unchanged += unchanged;
  }

  async #beginReconciliation(keys: readonly string[]): Promise<Reconciliation<Row>> {
    const room = await retried(() => this.#kind.readRoom());
    return new Reconciliation(await retried(() => this.#kind.readRows(keys)), this.#kind.rule, room);
  }

  /** What is wrong with the first bad lines: told now, that no text has been made of the others. */
  async #errors(language: Language): Promise<ImportReport['errors']> {
    const errors = [];
    for (const place of this.#rejected.first()) {
      const rejection = place.rejection ?? (await this.#read(place)).rejection;
      if (rejection) {
        errors.push({ line: place.number, code: rejection.code, message: rejection.message()[language] });
      }
    }
    return errors;
  }

  /** Reads a line, in the next turn where this one has had its bytes. */
  async #read({ from }: LinePlace): Promise<Reading<Row>> {
    const bytes = endOfLine(this.#file, from) - from;
    if (this.#bytesOfTurn > 0 && this.#bytesOfTurn + bytes > BYTES_PER_TURN) {
      this.#bytesOfTurn = 0;
      await this.#pace.nextTurn();
    }
    this.#bytesOfTurn += bytes;
    const text = lineAt(this.#file, from);
    if (text.length > LONGEST_LINE) {
      return { rejection: TOO_LONG };
    }
    const object = objectIn(text);
    return object === null ? { rejection: NO_JSON_OBJECT } : this.#kind.readLine(object);
  }
}

/** Whole keys, in the order in which the file first names them. Of each key one row will be stored. */
function* batchesOf(file: Uint8Array, linesByKey: LinesByKey): Generator<LinesByKey> {
  let batch = new Map<string, readonly LinePlace[]>();
  let bytes = 0;
  for (const [key, lines] of linesByKey) {
    const longest = lines.reduce((most, { from }) => Math.max(most, endOfLine(file, from) - from), 0);
    if (batch.size === KEYS_PER_BATCH || (batch.size > 0 && bytes + longest > BYTES_PER_BATCH)) {
      yield batch;
      [batch, bytes] = [new Map(), 0];
    }
    batch.set(key, lines);
    bytes += longest;
  }
  if (batch.size > 0) {
    yield batch;
  }
}

function addTo(linesByKey: Map<string, LinePlace[]>, key: string, place: LinePlace): void {
  const places = linesByKey.get(key);
  if (places === undefined) {
    linesByKey.set(key, [place]);
  } else {
    places.push(place);
  }
}

/** The object that a line is; null for one that is no JSON, or no object. */
function objectIn(text: string): object | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
}
