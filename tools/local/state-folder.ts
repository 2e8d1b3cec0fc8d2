import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { endGroup, findProcess, isRunning, membersOf, npmAbove } from './processes.ts';

const OWNERS_FOLDER = 0o700;
const OTHERS = 0o077;

const pid = z.int().positive();
/** A start's record: its process, npm's above it, and the group of its runtime. Older starts wrote less. */
const holder = z.object({
  pid,
  port: z.int(),
  began: z.string().optional(),
  npm: z.object({ pid, began: z.string() }).nullish(),
  runtime: pid.optional(),
});
type Holder = z.infer<typeof holder>;

/** How long an orphaned runtime may take to end before it is killed. */
const PATIENCE_MS = 2_000;

/** Makes a file or folder private to its owner. */
export function closeToOthers(path: string, mode: number): void {
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) chmodSync(path, mode);
}

/**
 * Ends the processes of a killed start: its runtime still holds the port and the files. If only npm was
 * killed, the start itself is one of them.
 */
export async function endLeftBehind(stateDir: string): Promise<void> {
  const held = parseState(heldBy(stateDir), holder);
  if (held === null || holds(held)) return;
  if (held.pid !== process.pid && held.began !== undefined && isRunning(held.pid, held.began)) {
    process.kill(held.pid, 'SIGKILL');
  }
  // Another group may have the id by now.
  if (held.runtime !== undefined && membersOf(held.runtime).some(({ command }) => RUNTIME.test(command))) {
    await endGroup(held.runtime, PATIENCE_MS);
  }
}

const RUNTIME = /workerd|wrangler/;

/**
 * Makes the folder of a start's data its owner's alone, and takes it for this process, until it ends: two services on
 * the same files would ruin them.
 *
 * @returns notes the group of the runtime, so that the next start can end it if this one is killed
 * @throws Error that says who holds it
 */
export function claimStateFolder(stateDir: string, port: number): (runtime: number) => void {
  mkdirSync(stateDir, { recursive: true, mode: OWNERS_FOLDER });
  closeToOthers(stateDir, OWNERS_FOLDER);
  const file = heldBy(stateDir);
  const held = parseState(file, holder);
  if (held !== null && holds(held)) throw new Error(refusalOf(stateDir, file, held));
  // The holder was killed.
  rmSync(file, { force: true });
  const own: Holder = { pid: process.pid, port, began: findProcess(process.pid)?.began, npm: npmAbove() };
  const write = (written: Holder, flag: string) =>
    writeFileSync(file, `${JSON.stringify(written)}\n`, { flag });
  write(own, 'wx');
  process.on('exit', () => rmSync(file, { force: true }));
  return (runtime) => write({ ...own, runtime }, 'w');
}

const heldBy = (stateDir: string): string => join(stateDir, 'held-by.json');

/** A start without its npm is an orphan. */
const holds = ({ pid, began, npm }: Holder): boolean =>
  pid !== process.pid && isRunning(pid, began) && (!npm || isRunning(npm.pid, npm.began));

const refusalOf = (stateDir: string, file: string, { pid, port }: Holder): string =>
  `${stateDir} is held by another npm start: process ${pid}, on port ${port}. ` +
  'Stop that one, or choose another folder: npm start -- --state DIR\n' +
  `If process ${pid} is not npm start, remove ${file}.`;

/** The content of a file in the folder; null if it is missing or cannot be read. */
export function parseState<Value>(file: string, schema: z.ZodType<Value>): Value | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}
