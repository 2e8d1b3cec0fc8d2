import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { THOROUGH } from '../support/run-form.ts';

/** How long building, packing and installing may take. */
export const PACK_MS = 120_000;

/** Installs a packed package in a project, without a registry. */
export function install(tarball: string, project: string): void {
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], {
    cwd: project,
    stdio: 'ignore',
  });
}

/** The newest Node: the one that `npm ci` brings along. */
export const newestNode = (): string => resolve('node_modules/.bin/node');

/** The one between, which npm fetches: in the thorough run alone. */
const NODE_BETWEEN = '22';

/** Those that a package has to work under. */
export const NODES: readonly (readonly [name: string, path: () => string])[] = [
  ['the oldest Node', oldestNode],
  ...(THOROUGH ? [[`Node ${NODE_BETWEEN}`, nodeBetween] as const] : []),
  ['the newest Node', newestNode],
];

/** Fetched once by the processes of a run. */
function nodeBetween(): string {
  const folder = join(tmpdir(), `node-${NODE_BETWEEN}`);
  const node = join(folder, 'node_modules/node/bin/node');
  if (!existsSync(node)) {
    const wanted = ['install', '--no-audit', '--no-fund', '--prefix', folder, `node@${NODE_BETWEEN}`];
    execFileSync('npm', wanted, { stdio: 'ignore' });
  }
  return node;
}

/**
 * The oldest Node: the machine's own, the first on the PATH that is not in a `node_modules`. Continuous integration installs
 * the one that `.nvmrc` names, the oldest that is supported; `OLDEST_NODE` in the environment names another.
 */
function oldestNode(): string {
  const named = process.env.OLDEST_NODE;
  if (named !== undefined) return named;
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((path) => existsSync(path) && !realpathSync(path).includes('node_modules'));
  if (found === undefined) throw new Error('there is no Node on the PATH but ours: set OLDEST_NODE');
  return found;
}
