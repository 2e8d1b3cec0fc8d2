import type { Language } from '../../base/text/text.ts';
import { retry } from '../../storage/db/retry.ts';
import { ChangedMeanwhile } from './changed-meanwhile.ts';
import type { BatchCount } from './day-room.ts';
import { endOfLine, lineAt, type NumberedLine, turnsOf } from './ndjson.ts';
import { type ReconcileRule, Reconciliation } from './reconcile.ts';
import {
  type LineCode,
  NO_JSON_OBJECT,
  type Reading,
  type Rejection,
  rejectionOf,
  TOO_LONG,
} from './rejection.ts';

/** The position of a line in its file. */
type LinePlace = Pick<NumberedLine, 'number' | 'from'>;

/** A rejected line, with the reason, unless reading the line again shows that. */
interface RejectedLine extends LinePlace {
  readonly rejection?: Rejection;
}

/** An import's rejected lines, in any order: counts all, and keeps the first ones of the file. */
class RejectedLines {
  readonly #max: number;
  #lines: RejectedLine[] = [];
  count = 0;

  /** @param max the most lines to list */
  constructor(max: number) {
    this.#max = max;
  }

  add(line: RejectedLine): void {
    this.count += 1;
    this.#lines.push(line);
    if (this.#lines.length >= 2 * this.#max) {
      this.#lines = this.first();
    }
  }

  /** The first ones, in the order of the file. */
  first(): RejectedLine[] {
    return this.#lines.sort((a, b) => a.number - b.number).slice(0, this.#max);
  }
}

/** Keys read and stored at once: a database answers one statement at a time, and gates ask the same one. */
const KEYS_PER_BATCH = 600;
/** Bytes of the lines of one batch. */
const BYTES_PER_BATCH = 128 * 1024;
/** The weight of a batch's lines: a unit takes some ten microseconds. */
const WEIGHT_PER_BATCH = 1_000;
/**
 * A file of more keys, or more weight, has larger batches instead of more of them. With eleven statements each, as for
 * short lines, they stay under the 1,000 that D1 allows per request. Hundreds of subscriptions with hundreds of plates may
 * go past it: the import is a 500 then, and a retry continues after the stored batches.
 */
const MAX_BATCHES = 80;

/** The position of a line with a key, and its number of rows. */
interface KeyedLine extends LinePlace {
  readonly weight: number;
}

/** The lines of each key, in the order of the file. */
type LinesByKey = ReadonlyMap<string, readonly KeyedLine[]>;

/** One row will be stored for each key. */
const heaviest = (lines: readonly KeyedLine[]): number =>
  lines.reduce((max, { weight }) => Math.max(max, weight), 0);

/** The most weight of a batch of these lines, without its last key. */
function weightPerBatch(linesByKey: LinesByKey): number {
  let weight = 0;
  for (const lines of linesByKey.values()) {
    weight += heaviest(lines);
  }
  return Math.max(WEIGHT_PER_BATCH, weight / MAX_BATCHES);
}

/** Whole keys, in the order in which the file first names them. */
function* batchesOf(file: Uint8Array, linesByKey: LinesByKey, maxWeight: number): Generator<LinesByKey> {
  const maxKeys = Math.max(KEYS_PER_BATCH, Math.ceil(linesByKey.size / MAX_BATCHES));
  let batch = new Map<string, readonly KeyedLine[]>();
  let [bytes, weight] = [0, 0];
  for (const [key, lines] of linesByKey) {
    const longest = lines.reduce((max, { from }) => Math.max(max, endOfLine(file, from) - from), 0);
    const isFull = batch.size === maxKeys || weight >= maxWeight || bytes + longest > BYTES_PER_BATCH;
    if (batch.size > 0 && isFull) {
      yield batch;
      batch = new Map();
      [bytes, weight] = [0, 0];
    }
    batch.set(key, lines);
    bytes += longest;
    weight += heaviest(lines);
  }
  if (batch.size > 0) {
    yield batch;
  }
}

const KIB = 1024;
/**
 * Bytes read before other calls of this isolate get their turn: some three milliseconds. Each turn costs one more, the least that a
 * timer takes; a round trip to the database is a turn too.
 */
const BYTES_PER_TURN = 128 * KIB;
/** Good lines are much shorter, and the issues of a longer one could fill the memory. */
const MAX_LINE_CHARACTERS = 256 * KIB;
/** Rejected lines that the answer lists. The count has no bound. */
const MAX_ERRORS = 1_000;

/** One kind of import: reads lines, applies them to the rows of their keys, and reads and stores rows. */
export interface ImportKind<Row> {
  readonly rule: ReconcileRule<Row>;
  /** The fewest characters that a good line can have. */
  readonly shortestLine: number;
  /** The key of a line, or null: a line without one is always rejected. */
  keyOf(line: object): string | null;
  /** The number of a line's rows; absent: one for each line. */
  weightOf?(line: object): number;
  /** The number of these keys, from the first one, whose stored rows are few enough to be replaced at once; absent: all. */
  countFitting?(keys: readonly string[], maxWeight: number): Promise<number>;
  readLine(line: object): Reading<Row>;
  /**
   * Notes a rejected line. Call it once per line.
   *
   * @param line null if it is no JSON object, or has nothing that looks like a plate
   */
  noteRejected(line: object | null): void;
  /** Why a line is rejected, given the stored rows. Call it once the rows of its key are read. */
  refuse?(row: Row): Rejection | null;
  /** The row of a line without the plates that were erased from it. Call it once the rows of its key are read. */
  withoutErased?(row: Row): Row;
  /** The stored rows of these keys, by key. Begins a batch. */
  readRows(keys: readonly string[]): Promise<ReadonlyMap<string, Row>>;
  /** The room in the daily limit. */
  readRoom(): Promise<number>;
  /** The keys of the rows that are too many for their plate. */
  findCrowded(rows: readonly Row[]): Promise<ReadonlySet<string>>;
  /**
   * Stores all rows or no row. Idempotent.
   *
   * @param isCounted whether {@link ImportKind.findCrowded} has found no row that is too many
   * @throws ChangedMeanwhile if a plate was erased after the rows were read, other imports have used up the daily limit, or
   *   a row that was not counted may be too many for its plate
   */
  writeRows(rows: readonly Row[], count: Omit<BatchCount, 'day'>, isCounted: boolean): Promise<void>;
}

/** The same kind of import, which judges and counts every line and stores none. */
export const judgingAlone = <Row>(kind: ImportKind<Row>): ImportKind<Row> => ({
  ...kind,
  writeRows: async () => {},
});

/** How an import shares its isolate and the database. */
export interface Pace {
  /** Lets other calls have their turn; resolves when the import may go on. */
  nextTurn(): Promise<void>;
  /** Starts a batch when the import may go on, and limits its time. */
  inTime<T>(batch: () => Promise<T>): Promise<T>;
}

/** The result of the lines of a file. */
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
 * Imports a file: finds the lines of each key, then reads and stores them in batches of keys. Between the two it remembers
 * where lines begin, not their content: the rows of a file of 8 MiB would take many times as much.
 *
 * The lines of one key are stored together, so that the database never holds a state that a later line of the same file
 * undoes. Only the bad line itself is rejected. A failure on our side is thrown: the batches before it are stored, and
 * sending the same file again completes it.
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

class Import<Row> {
  readonly #file: Uint8Array;
  readonly #kind: ImportKind<Row>;
  readonly #pace: Pace;
  readonly #rejected = new RejectedLines(MAX_ERRORS);
  readonly #counts = { received: 0, created: 0, updated: 0, unchanged: 0 };
  #bytesOfTurn = 0;
  /** The keys of the batch that are too many for their plate. */
  #crowded: ReadonlySet<string> = new Set();
  /** Whether the rows of the batch must be counted. */
  #isNearBound = false;

  constructor(file: Uint8Array, kind: ImportKind<Row>, pace: Pace) {
    this.#file = file;
    this.#kind = kind;
    this.#pace = pace;
  }

  async run(language: Language): Promise<ImportReport> {
    const lines = await this.#findLines();
    const maxWeight = weightPerBatch(lines);
    for (let batch of batchesOf(this.#file, lines, maxWeight)) {
      while (batch.size > 0) {
        const next = batch;
        batch = await this.#pace.inTime(() => this.#store(next, maxWeight));
      }
    }
    return { ...this.#counts, rejected: this.#rejected.count, errors: await this.#errors(language) };
  }

  /** Goes through the whole file. Rejects lines without a key; the others wait for their batch. */
  async #findLines(): Promise<LinesByKey> {
    const linesByKey = new Map<string, KeyedLine[]>();
    for (const lines of turnsOf(this.#file, BYTES_PER_TURN)) {
      for (const { number, from, text } of lines) {
        this.#counts.received += 1;
        const found = text.length < this.#kind.shortestLine ? null : this.#keyIn(text);
        if (found === null) {
          this.#reject({ number, from }, text);
        } else {
          linesByKey.getOrInsertComputed(found.key, () => []).push({ number, from, weight: found.weight });
        }
      }
      await this.#pace.nextTurn();
    }
    return linesByKey;
  }

  #keyIn(text: string): { readonly key: string; readonly weight: number } | null {
    const object = text.length > MAX_LINE_CHARACTERS ? null : objectIn(text);
    const key = object && this.#kind.keyOf(object);
    return object === null || key === null ? null : { key, weight: this.#kind.weightOf?.(object) ?? 1 };
  }

  #reject(place: RejectedLine, text = lineAt(this.#file, place.from)): void {
    this.#rejected.add(place);
    // If every line is bad, reads no line again.
    const maySayPlate = text.length <= MAX_LINE_CHARACTERS && text.includes('"plate');
    this.#kind.noteRejected(maySayPlate ? objectIn(text) : null);
  }

  /**
   * Begins again if a plate was erased meanwhile or has too many rows, or if other imports have used up the daily limit.
   *
   * @returns the keys put off, whose stored rows are too many to be replaced along with the others
   */
  async #store(batch: LinesByKey, maxWeight: number): Promise<LinesByKey> {
    const putOff = new Map<string, readonly KeyedLine[]>();
    this.#crowded = new Set();
    this.#isNearBound = false;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#storeOnce(batch, putOff, attempt === 1 ? maxWeight : null);
        return putOff;
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile)) {
          throw error;
        }
        this.#isNearBound ||= error.reason === 'near_bound';
      }
    }
  }

  /** @param maxWeight null if the batch was begun before: its bad lines are counted, its postponed keys known */
  async #storeOnce(
    batch: LinesByKey,
    putOff: Map<string, readonly KeyedLine[]>,
    maxWeight: number | null,
  ): Promise<void> {
    let reconciliation: Reconciliation<Row> | undefined;
    const rejected: RejectedLine[] = [];
    const isCrowded = (key: string) => this.#crowded.has(key);
    for (const line of this.#readGood(batch, putOff, maxWeight !== null)) {
      if (line === 'turn_is_over') {
        await this.#pace.nextTurn();
        continue;
      }
      if (reconciliation === undefined) {
        reconciliation = await this.#beginReconciliation(batch, line.key, putOff, maxWeight);
        this.#bytesOfTurn = 0;
      }
      const rejection =
        this.#kind.refuse?.(line.row) ??
        rejectionOf(reconciliation.add(this.#kind.withoutErased?.(line.row) ?? line.row, isCrowded));
      if (rejection !== null) {
        rejected.push({ ...line.place, rejection });
      }
    }
    if (reconciliation === undefined) {
      return;
    }
    const { changed, created, updated, unchanged, count } = reconciliation.outcome();
    if (changed.length > 0) {
      await this.#refuseCrowded(changed);
      await retry(() => this.#kind.writeRows(changed, count, this.#isNearBound));
      this.#bytesOfTurn = 0;
    }
    for (const line of rejected) {
      this.#reject(line);
    }
    this.#counts.created += created;
    this.#counts.updated += updated;
    this.#counts.unchanged += unchanged;
  }

  /**
   * Counts the rows of the batch's plates if one comes near the bound.
   *
   * @throws ChangedMeanwhile if rows are too many that were not known to be
   */
  async #refuseCrowded(rows: readonly Row[]): Promise<void> {
    if (!this.#isNearBound) {
      return;
    }
    const crowded = await retry(() => this.#kind.findCrowded(rows));
    if ([...crowded].some((key) => !this.#crowded.has(key))) {
      this.#crowded = new Set([...this.#crowded, ...crowded]);
      throw new ChangedMeanwhile('near_bound');
    }
  }

  /** Reads the good lines of the keys that are not put off (these may change meanwhile), and says when a turn is over. */
  *#readGood(batch: LinesByKey, putOff: LinesByKey, countsBad: boolean) {
    for (const [key, places] of batch) {
      for (const place of putOff.has(key) ? [] : places) {
        if (this.#endsTurn(place)) {
          yield 'turn_is_over' as const;
        }
        const reading = this.#read(place);
        if (!reading.rejection) {
          yield { key, place, row: reading.row };
        } else if (countsBad) {
          this.#reject(place);
        }
      }
    }
  }

  /** Puts off keys that do not fit, from the first with a good line on, and reads the rows of the others. */
  async #beginReconciliation(
    batch: LinesByKey,
    first: string,
    putOff: Map<string, readonly KeyedLine[]>,
    maxWeight: number | null,
  ): Promise<Reconciliation<Row>> {
    const keys = [...batch.keys()];
    if (maxWeight !== null) {
      for (const late of await this.#late(keys.slice(keys.indexOf(first)), maxWeight)) {
        putOff.set(late, batch.get(late) ?? []);
      }
    }
    const room = await retry(() => this.#kind.readRoom());
    const rows = await retry(() => this.#kind.readRows(keys.filter((key) => !putOff.has(key))));
    return new Reconciliation(rows, this.#kind.rule, room);
  }

  /** The keys that do not fit. The first always fits, and all do if they have as many stored rows as new ones. */
  async #late(keys: readonly string[], maxWeight: number): Promise<readonly string[]> {
    const fitting = await retry(async () => this.#kind.countFitting?.(keys, 2 * maxWeight) ?? keys.length);
    return keys.slice(Math.max(1, fitting));
  }

  /** The reasons for the first bad lines. The others get no text. */
  async #errors(language: Language): Promise<ImportReport['errors']> {
    const errors = [];
    for (const place of this.#rejected.first()) {
      if (place.rejection === undefined && this.#endsTurn(place)) {
        await this.#pace.nextTurn();
      }
      const rejection = place.rejection ?? this.#read(place).rejection;
      if (rejection) {
        errors.push({ line: place.number, code: rejection.code, message: rejection.message()[language] });
      }
    }
    return errors;
  }

  /** Whether this turn has used up its bytes, so that a line must wait for the next one. Counts the line. */
  #endsTurn({ from }: LinePlace): boolean {
    const bytes = endOfLine(this.#file, from) - from;
    const isOver = this.#bytesOfTurn > 0 && this.#bytesOfTurn + bytes > BYTES_PER_TURN;
    this.#bytesOfTurn = isOver ? bytes : this.#bytesOfTurn + bytes;
    return isOver;
  }

  #read({ from }: LinePlace): Reading<Row> {
    const text = lineAt(this.#file, from);
    if (text.length > MAX_LINE_CHARACTERS) {
      return { rejection: TOO_LONG };
    }
    const object = objectIn(text);
    return object === null ? { rejection: NO_JSON_OBJECT } : this.#kind.readLine(object);
  }
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
