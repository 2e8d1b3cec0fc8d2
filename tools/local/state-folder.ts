import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const OWNERS_FOLDER = 0o700;
const OTHERS = 0o077;

const holder = z.object({ pid: z.int().positive(), port: z.int() });
const storedCount = z.object({ databases: z.int().positive() });

/** Takes a file or folder from everybody but its owner. */
export function closeToOthers(path: string, mode: number): void {
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) chmodSync(path, mode);
}

/**
 * Makes the folder of a start's data its owner's alone, and takes it for this process, until it ends: two services on
 * the same files would ruin them.
 *
 * @throws Error that says who holds it
 */
export function claimStateFolder(stateDir: string, port: number): void {
  mkdirSync(stateDir, { recursive: true, mode: OWNERS_FOLDER });
  closeToOthers(stateDir, OWNERS_FOLDER);
  const file = join(stateDir, 'held-by.json');
  const held = parseState(file, holder);
  if (held !== null && isRunning(held.pid)) throw new Error(heldBy(stateDir, file, held));
  // Whoever held it was killed.
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify({ pid: process.pid, port })}\n`, { flag: 'wx' });
  process.on('exit', () => rmSync(file, { force: true }));
}

const heldBy = (stateDir: string, file: string, { pid, port }: z.infer<typeof holder>): string =>
  `${stateDir} is held by another npm start: process ${pid}, on port ${port}. ` +
  'Stop that one, or choose another folder: npm start -- --state DIR\n' +
  `If process ${pid} is not npm start, remove ${file}.`;

/**
 * How many databases a start binds: as many as the folder has. A first start binds as many as were asked for, and the
 * folder remembers it.
 *
 * @param asked null where nothing was said of it
 * @throws Error where another number was asked for than there is: cities are where the first start put them
 */
export function databasesOf(stateDir: string, asked: number | null): number {
  const file = join(stateDir, 'databases.json');
  const known = parseState(file, storedCount)?.databases ?? null;
  if (known !== null && asked !== null && asked !== known) {
    throw new Error(
      `${stateDir} has ${known} ${known === 1 ? 'database' : 'databases'}. ` +
        'Start without --databases, or choose another folder: npm start -- --state DIR',
    );
  }
  const databases = known ?? asked ?? 1;
  writeFileSync(file, `${JSON.stringify({ databases })}\n`);
  return databases;
}

/** What a file of the folder says; null where there is none, or it cannot be read. */
export function parseState<Value>(file: string, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // One of another user's is there as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
