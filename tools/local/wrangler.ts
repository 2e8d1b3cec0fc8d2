import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Secrets } from './secrets.ts';

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const DEV_VARS = join(PROJECT_ROOT, '.dev.vars');

const WRANGLER = join(
  dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
  'bin/wrangler.js',
);

/** Wrangler hands its whole environment to the Worker: it gets no more of ours than it needs to run. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'XDG_CONFIG_HOME',
  'SystemRoot',
  'APPDATA',
];

/** The API's code for a Worker that was never deployed. */
const NO_SUCH_WORKER = 'code: 10007';

/** It asks nothing, tells nobody, looks for no newer version of itself, and writes no log of its own. */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_WRITE_LOGS: 'false',
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_COLOR: '1',
};

/**
 * Brings a local database up to date.
 *
 * @param name of its binding
 * @param config the file that binds it
 * @throws Error with what Wrangler said, when a migration fails
 */
export async function applyMigrations(stateDir: string, name: string, config: string): Promise<void> {
  const args = [
    ...[WRANGLER, 'd1', 'migrations', 'apply', name, '--local', '--persist-to', stateDir],
    ...['--config', config],
  ];
  try {
    await promisify(execFile)(process.execPath, args, { cwd: PROJECT_ROOT, env: environment() });
  } catch (error) {
    throw new Error(`The local database could not be brought up to date.\n${saidBy(error)}`);
  }
}

/**
 * Brings a remote database up to date; whoever deploys sees what Wrangler says.
 *
 * @param name of its binding
 * @throws Error when a migration fails
 */
export async function applyRemoteMigrations(name: string): Promise<void> {
  await runRemote(['d1', 'migrations', 'apply', name, '--remote']);
}

/** Deploys the Worker. */
export const deployWorker = (): Promise<void> => runRemote(['deploy', '--minify']);

async function runRemote(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [WRANGLER, ...args], { cwd: PROJECT_ROOT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) {
    throw new Error(`wrangler ${args.join(' ')} ended with ${code}`);
  }
}

/**
 * Sets a secret of the deployed Worker. The secret goes by standard input: an argument would show in the list of
 * processes.
 *
 * @throws Error with what Wrangler said
 */
export async function putRemoteSecret(name: string, secret: string): Promise<void> {
  const running = remote(['secret', 'put', name]);
  running.child.stdin?.end(secret);
  await running.catch((error: unknown) => {
    throw new Error(`${name} could not be set.\n${saidBy(error)}`);
  });
}

/**
 * The names of the secrets that the deployed Worker has; none where there is no such Worker yet.
 *
 * @throws Error with what Wrangler said, when it cannot tell
 */
export async function remoteSecretNames(): Promise<string[]> {
  try {
    const { stdout } = await remote(['secret', 'list', '--format', 'json']);
    const secrets: { name: string }[] = JSON.parse(stdout);
    return secrets.map(({ name }) => name);
  } catch (error) {
    if (saidBy(error).includes(NO_SUCH_WORKER)) return [];
    throw new Error(`The secrets that are set could not be listed.\n${saidBy(error)}`);
  }
}

/** With the whole environment: the account's token may be in it. */
const remote = (args: readonly string[]) =>
  promisify(execFile)(process.execPath, [WRANGLER, ...args], {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...QUIET },
  });

function saidBy(error: unknown): string {
  const { stdout, stderr } = error as { stdout?: string; stderr?: string };
  return `${stdout ?? ''}${stderr ?? error}`;
}

/**
 * Spawns `wrangler dev`, in a process group of its own, so that Ctrl-C reaches it through us and in order.
 * The secrets go by the environment: an argument would show in the list of processes.
 */
export function spawnDev(port: number, stateDir: string, config: string, secrets: Secrets): ChildProcess {
  const args = [
    ...[WRANGLER, 'dev', '--local', '--port', String(port), '--persist-to', stateDir, '--config', config],
    ...['--show-interactive-dev-session=false', '--log-level', 'log'],
    // Any that is free: two that start at once would take the same one, and one of them would end.
    ...['--inspector-port', '0'],
    // Named, the file yields to the environment; found by Wrangler itself, it would have the last word.
    ...(existsSync(DEV_VARS) ? ['--env-file', DEV_VARS] : []),
  ];
  return spawn(process.execPath, args, {
    cwd: PROJECT_ROOT,
    env: { ...environment(), ...secrets, CLOUDFLARE_INCLUDE_PROCESS_ENV: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

function environment(): NodeJS.ProcessEnv {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passedOn), ...QUIET };
}
