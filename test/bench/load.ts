import { createRequire } from 'node:module';
import { runNode } from './children.ts';

export const CONNECTIONS = 16;

/** What is asked again and again. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a GET. */
  readonly body: string | null;
  /** The status that every answer must have: a fast error is no figure. */
  readonly status: number;
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

const AUTOCANNON = createRequire(import.meta.url).resolve('autocannon');

/** Loads a target from a process of its own. */
export async function load(
  target: Target,
  seconds: number,
  { cpuSeconds }: { cpuSeconds(): number },
): Promise<Load> {
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const cpuBefore = cpuSeconds();
  const printed = await runNode([
    AUTOCANNON,
    ...['--json', '--no-progress', '-c', String(CONNECTIONS), '-d', String(seconds)],
    ...headers,
    ...(target.body === null ? [] : ['-m', 'POST', '-b', target.body]),
    target.url,
  ]);
  const cpuUsed = cpuSeconds() - cpuBefore;
  // What autocannon prints with `--json`.
  const { requests, duration, latency, errors, timeouts, statusCodeStats } = JSON.parse(printed) as Result;
  const statuses = Object.keys(statusCodeStats);
  if (errors + timeouts > 0 || statuses.some((status) => Number(status) !== target.status)) {
    throw new Error(`${target.url}: ${errors} errors, ${timeouts} timeouts, statuses ${statuses}`);
  }
  return {
    requests: requests.total,
    perSecond: requests.total / duration,
    p99Ms: latency.p99,
    cpuUsPerRequest: (cpuUsed / requests.total) * 1e6,
  };
}
