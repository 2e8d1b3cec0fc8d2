import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type BackupHeader, type BackupPart, readBackupPart } from '../client/index.ts';
import { type Stop, wrongUsage } from './stop.ts';

/** The largest answer of the service. */
const MAX_PART_CHARACTERS = 8 * 1_024 * 1_024;
const CHUNK_BYTES = 1_024 * 1_024;
const END_BEGINS = '\n{"type":"part",';

/** The rows of a part: its lines without the header and the end. */
export const rowsIn = ({ text }: BackupPart): number => text.split('\n').length - 3;

/** A whole backup, in sum. */
interface WholeBackup {
  readonly header: BackupHeader;
  readonly parts: number;
  readonly rows: number;
}

/**
 * Reads a whole file, so that none is sent that was cut or changed: gzip's own sum is at its end.
 *
 * @throws Stop if it is not a whole backup
 */
export async function checkFile(file: string): Promise<WholeBackup> {
  let [header, isWhole]: [BackupHeader | null, boolean] = [null, false];
  let [parts, rows] = [0, 0];
  for await (const part of readParts(file)) {
    header ??= part.header;
    isWhole = !part.end.more;
    parts += 1;
    rows += rowsIn(part);
  }
  if (header === null || !isWhole) throw notWhole(file);
  return { header, parts, rows };
}

/**
 * Reads the parts of a file, one after the other: no more than one is held.
 *
 * @throws Stop at the first damaged part
 */
export async function* readParts(file: string): AsyncGenerator<BackupPart> {
  const text = createGunzip({ chunkSize: CHUNK_BYTES }).setEncoding('utf8');
  const read = pipeline(createReadStream(file), text);
  // Reading from the stream reports its failure, too.
  read.catch(() => {});
  let held = '';
  try {
    for await (const chunk of text) {
      held += chunk;
      for (let end = endIn(held); end > 0; end = endIn(held)) {
        const part = readBackupPart(held.slice(0, end));
        if (part === null) throw notWhole(file);
        yield part;
        held = held.slice(end);
      }
      if (held.length > MAX_PART_CHARACTERS) throw notWhole(file);
    }
    await read;
  } catch {
    throw notWhole(file);
  }
  if (held !== '') throw notWhole(file);
}

/** Where the first part of the text ends; 0: it has no whole one. */
function endIn(text: string): number {
  const begins = text.indexOf(END_BEGINS);
  return begins < 0 ? 0 : text.indexOf('\n', begins + 1) + 1;
}

export const notWhole = (file: string): Stop =>
  wrongUsage(
    `${file} cannot be read as a whole backup.`,
    'Copy the file once more from where it is kept, or use another backup.',
  );
