import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';
/** A whole run needs a fraction of it; a container often has less than that. */
const ENOUGH_BYTES = 2 ** 31;
const NAME = /^parking-tests-(\d+)-/;

/**
 * Gives this process and its children a temporary folder of their own, which goes when it ends. Where there is memory
 * for it, it is there: each write of a local database otherwise waits for the disk.
 */
export function useOwnTemporaryFolder(): void {
  // Vitest reads its configuration once for each project.
  if (Number(NAME.exec(basename(tmpdir()))?.[1]) === process.pid) return;
  const parent = hasRoom(MEMORY) ? MEMORY : tmpdir();
  for (const name of readdirSync(parent)) {
    const pid = NAME.exec(name)?.[1];
    // A run that was killed leaves its folder behind.
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(parent, name));
  }
  const folder = mkdtempSync(join(parent, `parking-tests-${process.pid}-`));
  process.env.TMPDIR = folder;
  process.once('exit', () => remove(folder));
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Another user's process counts as ended: its folder cannot be removed either. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });
