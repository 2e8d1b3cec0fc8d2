import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ended = new AbortController();
process.once('exit', () => ended.abort());

interface Options {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program of Node in a process of its own, and returns what it printed. The bench's end is its end. */
export async function runNode(args: readonly string[], options: Options = {}): Promise<string> {
  const { stdout } = await run(process.execPath, args, { ...options, signal: ended.signal });
  return stdout;
}
