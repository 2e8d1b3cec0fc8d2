import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const CHECK_MS = 50;

/** A process that runs. */
export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** When it began, as the system writes it: distinguishes it from a later process with the same id. */
  readonly began: string;
  readonly command: string;
}

/**
 * Whether a process runs. A zombie does not: it has ended and holds nothing. In a container whose first
 * process reaps no children it keeps its id, and a signal still reaches it.
 *
 * @param began of the process, if known
 */
export function isRunning(pid: number, began?: string): boolean {
  if (process.platform === 'win32') return isThere(pid);
  const running = findProcess(pid);
  return running !== null && (began === undefined || running.began === began);
}

/** Null without one, or for a zombie. */
export function findProcess(pid: number): Running | null {
  if (process.platform === 'linux') return readProcess(String(pid));
  return runningProcesses().find((running) => running.pid === pid) ?? null;
}

/** The npm that runs this process; null without one. */
export function npmAbove(): { readonly pid: number; readonly began: string } | null {
  if (process.env.npm_lifecycle_event === undefined) return null;
  let above = findProcess(process.ppid);
  // Directly above, or with a shell between.
  for (let steps = 0; above !== null && steps < 3; steps += 1) {
    if (/^npm\b|npm-cli/.test(above.command)) return { pid: above.pid, began: above.began };
    above = findProcess(above.parent);
  }
  return null;
}

/** The processes of a group. Its first one may be gone. */
export const membersOf = (group: number): Running[] =>
  runningProcesses().filter((running) => running.group === group);

/** Ends a group of processes, by SIGKILL if it does not react. */
export async function endGroup(group: number, patienceMs: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  for (let waited = 0; membersOf(group).length > 0 && waited < patienceMs; waited += CHECK_MS) {
    await wait(CHECK_MS);
  }
  signalGroup(group, 'SIGKILL');
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // All of it has ended.
  }
}

function runningProcesses(): Running[] {
  if (process.platform === 'win32') return [];
  if (process.platform !== 'linux') return listedByPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(pid) ?? []);
}

/** From Linux's files: a slim container has no `ps`. */
function readProcess(pid: string): Running | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Before the bracket is the name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, group] = fields;
    if (hasEnded(state)) return null;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const began = fields[19] ?? '';
    return { pid: Number(pid), parent: Number(parent), group: Number(group), began, command };
  } catch {
    return null;
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

function listedByPs(): Running[] {
  const args = ['-axo', 'pid=,ppid=,pgid=,stat=,lstart=,args='];
  const printed = execFileSync('ps', args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  return printed.split('\n').flatMap((line) => {
    const [, pid, parent, group, state = 'Z', began = '', command = ''] = PS_LINE.exec(line) ?? [];
    return hasEnded(state)
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), began, command }];
  });
}

const hasEnded = (state: string): boolean => /^[ZXx]/.test(state);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's process exists as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
