import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClient } from '../../tools/clients/package.ts';
import { SECRETS, START_MS, type StartedService, startService } from '../browser/started-service.ts';
import { install, NODES, PACK_MS } from './installed-package.ts';

/** The table of operations and shapes, which every entry but the store has, is most of it: payments added half a KiB. */
const INDEX_KIB = 21;
const GATE_KIB = 30;

const TSC = resolve('node_modules/typescript/bin/tsc');

let folder: string;
let service: StartedService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packed-'));
  const tarball = buildClient(folder);
  cpSync('test/client/empty-project', join(folder, 'project'), { recursive: true });
  writeFileSync(join(folder, 'project/package.json'), '{ "private": true, "type": "module" }');
  install(tarball, join(folder, 'project'));
  service = await startService();
}, PACK_MS + START_MS);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

describe('The packed client, installed in an empty project', () => {
  it.each(NODES)('calls the running service under %s', { timeout: 3 * PACK_MS }, (_, node) => {
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

  it('has one licence everywhere, which LICENSE names with a link to its text', () => {
    const [, licence] = /^ {2}license: (\S+)$/m.exec(readFileSync('publiccode.yml', 'utf8')) ?? [];
    const text = readFileSync('LICENSE', 'utf8');
    expect(text).toMatch(new RegExp(`^SPDX-License-Identifier: ${licence}\n[\\s\\S]*https://`));
    for (const directory of ['.', 'clients/client', 'clients/parking']) {
      expect(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')).license).toBe(licence);
    }
    const installed = join(folder, 'project/node_modules/parking-client/LICENSE');
    expect(readFileSync(installed, 'utf8')).toBe(text);
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
  });
});

describe('What a page or a device loads of it', () => {
  it.each([
    ['index.js', INDEX_KIB],
    ['gate.js', GATE_KIB],
    ['gate-node.js', 1],
  ])('%s is at most %d KiB, compressed, with all that it imports', (entry, kib) => {
    const files = loadedBy(join(folder, 'project/node_modules/parking-client', entry));
    const bytes = [...files].map((file) => gzipSync(readFileSync(file)).length).reduce((a, b) => a + b, 0);
    expect(bytes / 1_024).toBeLessThan(kib);
  });
});

/** A script and all that it imports, and these. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  found.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import) *"(\.[^"]+)"/g)) {
    const next = join(dirname(file), name);
    if (!found.has(next)) loadedBy(next, found);
  }
  return found;
}

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
