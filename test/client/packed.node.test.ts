import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient } from '../../tools/clients/package.ts';
import { SECRETS, START_MS, type StartedService, startService } from '../browser/started-service.ts';

/** Building, packing and installing. */
const PACK_MS = 120_000;
const TSC = resolve('node_modules/typescript/bin/tsc');

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
/** The newest: the one that `npm ci` brings along. */
const newestNode = (): string => resolve('node_modules/.bin/node');

let folder: string;
let service: StartedService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packed-'));
  const { tarball } = buildClient(folder);
  cpSync('test/client/empty-project', join(folder, 'project'), { recursive: true });
  writeFileSync(join(folder, 'project/package.json'), '{ "private": true, "type": "module" }');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], {
    cwd: join(folder, 'project'),
    stdio: 'ignore',
  });
  service = await startService();
}, PACK_MS + START_MS);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

describe('The packed client, installed in an empty project', () => {
  it.each([
    ['the oldest Node', oldestNode],
    ['the newest Node', newestNode],
  ])('calls the running service under %s', { timeout: 60_000 }, (_, node) => {
    const { stdout, stderr } = spawnSync(node(), ['try.mjs', service.address, SECRETS.ADMIN_TOKEN], {
      cwd: join(folder, 'project'),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { node: version, pages, ...came } = JSON.parse(stdout);
    console.log(`${node()} is ${version}`);
    expect(version).toBe(execFileSync(node(), ['--version'], { encoding: 'utf8' }).trim());
    expect(came).toEqual({
      configured: true,
      imported: [1, 2],
      subscriptions: 0,
      checked: ['AB123CD', true],
      v1: true,
      options: 'SUBSCRIPTION_NOT_FOUND',
      report: 1,
      call: true,
      wrong: ['refused', 'FACILITY_REQUIRED'],
      nobody: ['unavailable', false],
      gate: ['open', 'service', 'stay_shut', 'service'],
    });
    expect(pages).toHaveLength(1);
  });

  it('is known to the compiler, declarations and all', { timeout: PACK_MS }, () => {
    expect(compiled('right.ts')).toEqual([]);
  });

  it('does not compile where somebody reads a verdict out of a failure', { timeout: PACK_MS }, () => {
    const wrong = readFileSync('test/client/empty-project/misread.ts', 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.includes('does not compile') ? [index + 1] : []));
    expect(wrong.length).toBeGreaterThan(0);
    expect([...new Set(compiled('misread.ts'))]).toEqual(wrong);
  });

  it('needs no other package, and holds no source but its own', () => {
    const installed = join(folder, 'project/node_modules');
    expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['parking-client']);
    const scripts = readdirSync(join(installed, 'parking-client'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((path) => path.endsWith('.js'));
    const imported = scripts.flatMap((path) =>
      [...readFileSync(join(installed, 'parking-client', path), 'utf8').matchAll(/from "([^"]+)"/g)].map(
        ([, name = '']) => [path, name],
      ),
    );
    const strangers = imported.filter(([, name = '']) => !name.startsWith('.'));
    expect(strangers.every(([path, name = '']) => path === 'gate-node.js' && name.startsWith('node:'))).toBe(
      true,
    );
    expect(strangers.length).toBeGreaterThan(0);
    expect(statSync(join(installed, 'parking-client/index.js')).size).toBeLessThan(100 * 1_024);
  });
});

/** The lines of a file of the project that do not compile. */
function compiled(file: string): number[] {
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
  const { stdout } = spawnSync(
    process.execPath,
    [TSC, ...options, '--lib', 'es2024,dom,dom.iterable,dom.asynciterable', '--pretty', 'false', file],
    { cwd: join(folder, 'project'), encoding: 'utf8' },
  );
  const lines = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm)];
  const elsewhere = lines.filter(([, path]) => path !== file).map(([line]) => line);
  expect(elsewhere).toEqual([]);
  return lines.map(([, , line]) => Number(line)).sort((a, b) => a - b);
}
