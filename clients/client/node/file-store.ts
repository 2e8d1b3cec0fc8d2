import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ListStore } from '../gate/store.ts';

/** Readable by its owner alone: who comes and goes is private, even without plates. */
const MODE = 0o600;

/**
 * Keeps the list in a file. It is written next to the old one, flushed, and renamed over it: even after a
 * power cut the file holds one whole list, the old or the new one. A missing folder is made.
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
  // A killed run may have left one, with other permissions.
  await rm(fresh, { force: true });
  const file = await open(fresh, 'wx', MODE);
  try {
    // `write` may write only a part, as on a disk that is just full. This one writes everything, or fails.
    for await (const piece of text) await file.appendFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
  await flushFolder(dirname(path));
}

/**
 * Without it, the old file may be back after a power cut. Not every system supports it, and the list is whole
 * either way.
 */
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
