import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { wrongUsage } from '../stop.ts';

/** Stands for standard input. */
export const STANDARD_INPUT = '-';

/** A file, its bytes so far unread. */
export interface OpenedFile {
  readonly name: string;
  /** Null for a pipe: its length is unknown, and it can be read only once. */
  readonly bytes: number | null;
  chunks(): AsyncIterable<Buffer>;
}

/**
 * Looks at a file before reading it.
 *
 * @throws Stop when it is not there
 */
export function openFile(name: string, stdin: Readable): OpenedFile {
  if (name === STANDARD_INPUT) return { name, bytes: null, chunks: () => stdin };
  try {
    const status = statSync(name);
    return { name, bytes: status.isFile() ? status.size : null, chunks: () => createReadStream(name) };
  } catch {
    throw wrongUsage({
      en: `There is no file ${name} that can be read.`,
      it: `Non c’è un file ${name} leggibile.`,
    });
  }
}
