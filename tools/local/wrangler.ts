import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Secrets } from './secrets.ts';

export const PROJECT_ROOT = fileURLToPath(new URL('../..', import.meta.url).href);
export const DEV_VARS = join(PROJECT_ROOT, '.dev.vars');

/** Wrangler's program, for this process's own Node. */
const WRANGLER = join(
  dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
  'bin/wrangler.js',
);

/** Wrangler passes its whole environment to the Worker, so it gets only the necessary variables. */
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

/** No prompts, no telemetry, no check for updates, no log file. */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_WRITE_LOGS: 'false',
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  NO_COLOR: '1',
};

/** Named if there is no `.dev.vars`: another start may make that file before Wrangler looks for it. */
function emptyFile(stateDir: string): string {
  const file = join(stateDir, 'no-secrets.env');
  writeFileSync(file, '');
  return file;
}

/**
 * Spawns `wrangler dev`, in a process group of its own, so that Ctrl-C reaches it through us and in order.
 * The secrets go by the environment: an argument would show in the list of processes.
 */
export function spawnDev(port: number, stateDir: string, secrets: Secrets): ChildProcess {
  const args = [
    ...[WRANGLER, 'dev', '--local', '--port', String(port), '--persist-to', stateDir],
    ...['--show-interactive-dev-session=false', '--log-level', 'log'],
    // Any free port: two starts at once would take the same one, and one of them would end.
    ...['--inspector-port', '0'],
    // Named, the file yields to the environment; found by Wrangler itself, it would have the last word.
    ...['--env-file', existsSync(DEV_VARS) ? DEV_VARS : emptyFile(stateDir)],
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
