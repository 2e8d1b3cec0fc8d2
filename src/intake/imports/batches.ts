import { endOfLine } from './ndjson.ts';
import type { LinePlace } from './rejected-lines.ts';

/** Keys read and stored at once: a database answers one statement at a time, and gates ask the same one. */
const KEYS_PER_BATCH = 600;
/** Bytes of one batch's rows, as their lines say them. */
const BYTES_PER_BATCH = 128 * 1024;
/** What the lines of a batch weigh: some ten microseconds each. */
const WEIGHT_PER_BATCH = 1_000;
/**
 * A file of more keys, or more weight, has larger batches instead of more of them. With eleven statements each, as short lines have, they
 * stay under the 1,000 that D1 takes of one request. Hundreds of subscriptions with hundreds of plates may go
 * past it: the import is a 500 then, and a retry continues after the stored batches.
 */
const MAX_BATCHES = 80;

/** Where a line with a key is, and how many rows of its own it asks for. */
export interface KeyedLine extends LinePlace {
  readonly weight: number;
}

/** The lines of each key, in the order of the file. */
export type LinesByKey = ReadonlyMap<string, readonly KeyedLine[]>;

export function addTo(linesByKey: Map<string, KeyedLine[]>, key: string, place: KeyedLine): void {
  const places = linesByKey.get(key);
  if (places === undefined) {
    linesByKey.set(key, [place]);
  } else {
    places.push(place);
  }
}

/** Of each key one row will be stored. */
const heaviest = (lines: readonly KeyedLine[]): number =>
  lines.reduce((max, { weight }) => Math.max(max, weight), 0);

/** What a batch of these lines may weigh, but for its last key. */
export function weightPerBatch(linesByKey: LinesByKey): number {
  let weight = 0;
  for (const lines of linesByKey.values()) {
    weight += heaviest(lines);
  }
  return Math.max(WEIGHT_PER_BATCH, weight / MAX_BATCHES);
}

/** Whole keys, in the order in which the file first names them. */
export function* batchesOf(
  file: Uint8Array,
  linesByKey: LinesByKey,
  maxWeight: number,
): Generator<LinesByKey> {
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
