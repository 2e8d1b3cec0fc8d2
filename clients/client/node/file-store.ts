import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ListStore } from '../gate/store.ts';

/** For its owner alone: who comes and goes is nobody else's business, also without their plates. */
const MODE = 0o600;

/**
 * Keeps the list in a file. It is written next to the old one, flushed, and put in place in one step: whenever the power goes, the file
 * holds one whole list, the old or the new one. Its folder is made if it is missing.
 *
 * @param path a file of this gate alone
 */
export function fileStore(path: string): ListStore {
  return {
    load: async () => {
      try {
        const file = await open(path, 'r');
        return createReadStream('', { fd: file, encoding: 'utf8' });
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    save: (text) => replace(path, text),
  };
}

async function replace(path: string, text: AsyncIterable<string>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.new`;
  // A run that was killed may have left one, with whatever rights.
  await rm(fresh, { force: true });
  const file = await open(fresh, 'wx', MODE);
  try {
    // `write` may write a part of it, as on a disk that is just full. This one writes all of it, or fails.
    for await (const piece of text) await file.appendFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await flushFolder(dirname(path));
}

/** Without it, the old name may come back after a power cut. Not every system can do it, and the list is whole anyway. */
async function flushFolder(folder: string): Promise<void> {
  try {
    const entry = await open(folder, 'r');
    await entry.sync().finally(() => entry.close());
  } catch {
    // Such a file system keeps its own order.
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
