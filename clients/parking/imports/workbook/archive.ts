import { inflateRawSync } from 'node:zlib';
import { BrokenWorkbook, damaged } from './broken.ts';

/** The limit of the unpacked parts together. Save a larger table as CSV, which is read in chunks. */
export const MAX_UNPACKED_BYTES = 32 * 1_024 * 1_024;

const END = 0x06054b50;
const END_BYTES = 22;
/** A comment may follow the end. */
const MAX_COMMENT_BYTES = 0xffff;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
/** A size or offset with this value is in the extra field of large archives. */
const ELSEWHERE = 0xffffffff;
const LARGE = 1;

interface Entry {
  readonly method: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly at: number;
}

/** The parts of a workbook, each unpacked when it is asked for, and none to more than the directory says. */
export class Archive {
  readonly #bytes: Buffer;
  readonly #entries: ReadonlyMap<string, Entry>;
  #left = MAX_UNPACKED_BYTES;

  /** @throws BrokenWorkbook if it is not an archive */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#entries = whole(() => entriesOf(bytes));
  }

  /**
   * The text of a part; undefined if there is none.
   *
   * @throws BrokenWorkbook for one that is damaged, or with which the parts are too large together
   */
  text(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    this.#left -= entry.unpacked;
    if (this.#left < 0) throw new BrokenWorkbook('too large', `${name} is too large`);
    return whole(() => new TextDecoder('utf-8', { fatal: true }).decode(unpacked(this.#bytes, entry)));
  }
}

function entriesOf(bytes: Buffer): ReadonlyMap<string, Entry> {
  const end = endOf(bytes);
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (bytes.readUInt32LE(at) !== ENTRY) throw damaged('no entry where one has to be');
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as Lengths;
    const beginning = at + ENTRY_BYTES;
    const fields = bytes.subarray(beginning + name, beginning + name + extra);
    entries.set(bytes.toString('utf8', beginning, beginning + name), entryOf(bytes, at, fields));
    at = beginning + name + extra + comment;
  }
  return entries;
}

type Lengths = [name: number, extra: number, comment: number];

function endOf(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = bytes.length - END_BYTES; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw damaged('no directory');
}

function entryOf(bytes: Buffer, at: number, fields: Buffer): Entry {
  // In the order in which the extra field has those that are too large for their own.
  const inPlace = [24, 20, 42].map((field) => bytes.readUInt32LE(at + field));
  const large = inPlace.includes(ELSEWHERE) ? largeOf(fields) : [];
  const [unpacked, packed, place] = inPlace.map((value) =>
    value === ELSEWHERE ? (large.shift() ?? Number.NaN) : value,
  ) as [number, number, number];
  return { method: bytes.readUInt16LE(at + 10), unpacked, packed, at: place };
}

/** The numbers of the extra field of large archives. */
function largeOf(fields: Buffer): number[] {
  for (let at = 0; at + 4 <= fields.length; ) {
    const [id, length] = [fields.readUInt16LE(at), fields.readUInt16LE(at + 2)];
    const end = at + 4 + length;
    if (id === LARGE) {
      const places = Array.from({ length: Math.floor(length / 8) }, (_, index) => at + 4 + index * 8);
      return places.map((place) => Number(fields.readBigUInt64LE(place)));
    }
    at = end;
  }
  throw damaged('sizes that are nowhere');
}

function unpacked(bytes: Buffer, { method, packed, unpacked: size, at }: Entry): Uint8Array {
  if (bytes.readUInt32LE(at) !== LOCAL) throw damaged('no part where one has to be');
  const from = at + LOCAL_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const content = bytes.subarray(from, from + packed);
  if (method !== STORED && method !== DEFLATED) throw damaged(`method ${method}`);
  // It stops at the directory's size: a small archive can unpack to gigabytes.
  const found = method === STORED ? content : inflateRawSync(content, { maxOutputLength: Math.max(1, size) });
  if (found.length !== size) throw damaged('a part of another size');
  return found;
}

/** Offsets beyond the end, truncated data, and invalid text. */
function whole<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BrokenWorkbook ? error : damaged(String(error));
  }
}
