import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const START_MS = 90_000;
export const SECRETS = {
  ADMIN_TOKEN: 'admin-of-the-test-that-is-long-enough',
  TOKEN_KEY: 'key-of-the-test-that-is-long-enough',
  DIGEST_KEY: 'digests-of-the-test-that-are-long-enough',
};
/** The last of what is printed. */
export const PRINTED = /# → .*\n[\s\S]*parking --help\n/;
export interface Started {
  readonly child: ChildProcess;
  readonly printed: string;
}

/** The profiles of whoever runs the tests stay as they are. */
export const environmentOf = (stateDir: string) => ({
  ...process.env,
  ...SECRETS,
  XDG_CONFIG_HOME: join(stateDir, 'config'),
});

/** Runs what `npm start` runs, until it has printed what the pattern says. */
export function start(
  port: number,
  stateDir: string,
  until: RegExp,
  more: readonly string[] = [],
): Promise<Started> {
  const args = ['tools/local/start.ts', '--port', String(port), '--state', stateDir, ...more];
  return printing(spawn(process.execPath, args, { env: environmentOf(stateDir) }), until);
}

/** Waits until a process has printed what the pattern says. */
export function printing(child: ChildProcess, until: RegExp): Promise<Started> {
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (until.test(printed)) resolve({ child, printed });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('exit', (code) => reject(new Error(`it ended with ${code}:\n${printed}`)));
  });
}

export async function stop({ child }: Started, signal: NodeJS.Signals): Promise<unknown> {
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}
