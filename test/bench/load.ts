import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const CONNECTIONS = 16;

/** What is asked again and again. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The status that every answer must have: a fast error is not a figure. */
  readonly status: number;
}

/** What is to be asked. */
export interface Plan {
  /** All at one address; each connection has its part of them, or all where they are fewer. */
  readonly targets: readonly [Target, ...Target[]];
  readonly howLong: { readonly seconds: number } | { readonly requests: number };
  readonly connections: number;
}

export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Of the runtime's process. */
  readonly cpuUsPerRequest: number;
}

interface Result {
  readonly requests: { readonly total: number };
  readonly duration: number;
  readonly latency: { readonly p99: number };
  readonly errors: number;
  readonly timeouts: number;
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
}

const LOAD_PROCESS = new URL('load-process.ts', import.meta.url).pathname;
const run = promisify(execFile);
const ended = new AbortController();
// A load ends with the bench.
process.once('exit', () => ended.abort());

interface Process {
  cpuSeconds(): number;
}

/** Loads a target from a process of its own. */
export const load = (target: Target, seconds: number, runtime: Process): Promise<Load> =>
  loadInTurn([target], { seconds }, runtime);

/**
 * Loads many targets in turn, which are asked at one address and answer alike; each connection has its part of them.
 *
 * @param howLong so many seconds, or so many requests
 */
export async function loadInTurn(
  targets: readonly [Target, ...Target[]],
  howLong: Plan['howLong'],
  runtime: Process,
  connections = CONNECTIONS,
): Promise<Load> {
  const plan: Plan = { targets, howLong, connections };
  const folder = mkdtempSync(join(tmpdir(), 'parking-load-'));
  try {
    const file = join(folder, 'plan.json');
    writeFileSync(file, JSON.stringify(plan));
    const cpuBefore = runtime.cpuSeconds();
    const { stdout } = await run(process.execPath, [LOAD_PROCESS, file], { signal: ended.signal });
    return loadOf(targets[0], stdout, runtime.cpuSeconds() - cpuBefore);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function loadOf({ url, status: wanted }: Target, printed: string, cpuUsed: number): Load {
  // What the process prints: autocannon's result.
  const { requests, duration, latency, errors, timeouts, statusCodeStats } = JSON.parse(printed) as Result;
  const statuses = Object.keys(statusCodeStats);
  if (errors + timeouts > 0 || statuses.some((status) => Number(status) !== wanted)) {
    throw new Error(`${url}: ${errors} errors, ${timeouts} timeouts, statuses ${statuses}`);
  }
  return {
    requests: requests.total,
    perSecond: requests.total / duration,
    p99Ms: latency.p99,
    cpuUsPerRequest: (cpuUsed / requests.total) * 1e6,
  };
}
