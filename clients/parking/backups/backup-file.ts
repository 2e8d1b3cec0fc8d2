import { readSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzipSync, gzip, inflateRawSync } from 'node:zlib';
import { type BackupPart, readBackupPart } from '../../client/index.ts';

/** The largest answer of the service. */
const MAX_PART_BYTES = 8 * 1_024 * 1_024;
/** Gzip's own header and trailer. Incompressible data grows by less than a thousandth. */
const [HEADER_BYTES, TRAILER_BYTES] = [10, 8];
const MAX_MEMBER_BYTES = MAX_PART_BYTES + 64 * 1_024;

/** Why a file is not a backup, or not a whole one. */
export type Damage = 'cut' | 'changed' | 'no_backup' | 'not_next' | 'another' | 'unfinished';

/** A file with damaged or missing parts. */
export class DamagedBackup extends Error {
  readonly damage: Damage;
  /** The number of the first damaged part. */
  readonly part: number;

  constructor(damage: Damage, part: number) {
    super(`part ${part} is damaged: ${damage}`);
    this.damage = damage;
    this.part = part;
  }
}

/** A part in a file. */
export interface StoredPart {
  readonly part: BackupPart;
  /** Where the next one begins, in bytes. */
  readonly endsAt: number;
}

/** The progress of one backup. */
export interface Standing {
  /** The last part; null before the first. */
  readonly last: Pick<BackupPart, 'header' | 'end'> | null;
  readonly rows: number;
  /** Of the file. */
  readonly bytes: number;
}

export const NOTHING: Standing = { last: null, rows: 0, bytes: 0 };

export const isWhole = ({ last }: Standing): boolean => last?.end.more === false;
export const partsOf = ({ last }: Standing): number => last?.header.part ?? 0;

/**
 * A part as a gzip file of its own: concatenated, they are a gzip file too, to which further parts can be
 * appended.
 */
export const compressed = (text: string): Promise<Buffer> => promisify(gzip)(text);

/**
 * Advances by the next part.
 *
 * @throws DamagedBackup if it is not the next one
 */
export function follow({ last, rows }: Standing, { part, endsAt }: StoredPart): Standing {
  const { header, end, text } = part;
  if (last !== null && header.backup_id !== last.header.backup_id) {
    throw new DamagedBackup('another', last.header.part + 1);
  }
  const next = (last?.header.part ?? 0) + 1;
  if (last?.end.more === false || header.part !== next || header.after !== (last?.end.after ?? null)) {
    throw new DamagedBackup('not_next', next);
  }
  return { last: { header, end }, rows: rows + linesIn(text) - 2, bytes: endsAt };
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/**
 * Reads the parts of a file, one after the other: no more than one is held. Each member of the file is
 * checked against gzip's own sum.
 *
 * @throws DamagedBackup at the first damaged part
 */
export function* readParts(file: number): Generator<{ readonly stored: StoredPart; standing: Standing }> {
  const window = Buffer.alloc(MAX_MEMBER_BYTES);
  let standing = NOTHING;
  for (;;) {
    const held = window.subarray(0, fill(file, window, standing.bytes));
    if (held.length === 0) return;
    const number = partsOf(standing) + 1;
    const { text, length } = readMember(held, number);
    const part = readBackupPart(text);
    if (part === null) throw new DamagedBackup(number === 1 ? 'no_backup' : 'changed', number);
    const stored = { part, endsAt: standing.bytes + length };
    standing = follow(standing, stored);
    yield { stored, standing };
  }
}

/**
 * Reads a whole file.
 *
 * @throws DamagedBackup if it is incomplete or damaged
 */
export function checkFile(file: number): Standing {
  let standing = NOTHING;
  for (const read of readParts(file)) standing = read.standing;
  if (standing.last === null) throw new DamagedBackup('no_backup', 1);
  if (!isWhole(standing)) throw new DamagedBackup('unfinished', partsOf(standing) + 1);
  return standing;
}

function fill(file: number, window: Buffer, from: number): number {
  let length = 0;
  while (length < window.length) {
    const read = readSync(file, window, length, window.length - length, from + length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

/** The first member of the bytes read so far, and its length. */
function readMember(held: Buffer, number: number): { text: string; length: number } {
  const isGzip = held[0] === 0x1f && held[1] === 0x8b && held[2] === 8 && held[3] === 0;
  if (!isGzip) throw new DamagedBackup(held.length < HEADER_BYTES ? 'cut' : otherwise(number), number);
  try {
    const length = HEADER_BYTES + inflatedLength(held.subarray(HEADER_BYTES), MAX_PART_BYTES) + TRAILER_BYTES;
    if (length > held.length) throw new DamagedBackup('cut', number);
    const bytes = gunzipSync(held.subarray(0, length), { maxOutputLength: MAX_PART_BYTES });
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), length };
  } catch (error) {
    if (error instanceof DamagedBackup) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : null;
    // More than a part can hold: several were put into one member.
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new DamagedBackup('no_backup', number);
    throw new DamagedBackup(code === 'Z_BUF_ERROR' ? 'cut' : 'changed', number);
  }
}

const otherwise = (number: number): Damage => (number === 1 ? 'no_backup' : 'changed');

/** The length of the compressed text at the beginning of the buffer. */
function inflatedLength(held: Buffer, maxOutputLength: number): number {
  // With `info`, Node returns the engine too; its types declare only the buffer.
  const { engine } = inflateRawSync(held, { info: true, maxOutputLength }) as unknown as {
    engine: { bytesWritten: number };
  };
  return engine.bytesWritten;
}
