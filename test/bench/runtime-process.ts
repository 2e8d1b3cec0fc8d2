import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let quiet: string | undefined;

/**
 * The runtime's program, without its output: the service writes its structured log as in production, and the system
 * throws it away. Miniflare would parse each line on a core that the load needs.
 */
export function quietRuntime(): string {
  if (quiet === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'parking-bench-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    // The package says by `default` where its program for this machine is.
    const workerd = createRequire(import.meta.url)('workerd') as { readonly default: string };
    quiet = join(folder, 'workerd');
    writeFileSync(quiet, `#!/bin/sh\nexec '${workerd.default}' "$@" >/dev/null\n`);
    chmodSync(quiet, 0o755);
  }
  return quiet;
}

const NANOSECONDS = 1e9;

const known = new Set<number>();

/** The bench's child whose program is `workerd`, and which was not there the last time; null without a `/proc`. */
export function newRuntimeProcess(): number | null {
  const pids = globSync('/proc/[0-9]*/stat').flatMap((file) => {
    const [pid, name, parent] = statOf(file);
    return name === 'workerd' && Number(parent) === process.pid ? [Number(pid)] : [];
  });
  const found = pids.find((pid) => !known.has(pid)) ?? null;
  if (found !== null) {
    known.add(found);
  }
  return found;
}

/** The time of all its threads, of which none ends before the process. Not a number without a `/proc`. */
export function cpuSecondsOf(pid: number | null): number {
  if (pid === null) {
    return Number.NaN;
  }
  const nanoseconds = globSync(`/proc/${pid}/task/*/schedstat`).map((file) =>
    Number(readFileSync(file, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / NANOSECONDS;
}

/** Pid, name and parent, of `/proc/<pid>/stat`. A process may have ended meanwhile. */
function statOf(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return /^(\d+) \((.*)\) \S (\d+) /s.exec(text)?.slice(1) ?? [];
}
