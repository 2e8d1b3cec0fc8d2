import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildParking } from '../../tools/clients/parking.ts';
import { install, NODES, newestNode, PACK_MS } from '../client/installed-package.ts';
import { openCity, type RunningService, startService } from './office.ts';

let folder: string;
let service: RunningService;
let token: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packed-parking-'));
  const tarball = buildParking(join(folder, 'built'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  install(tarball, folder);
  service = await startService();
  token = await openCity(service);
}, PACK_MS);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs what npm has put into `node_modules/.bin`. */
function parking(node: string, args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(node, [join(folder, 'node_modules/.bin/parking'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    input,
    env: {
      PATH: process.env.PATH,
      XDG_CONFIG_HOME: folder,
      PARKING_URL: service.address,
      PARKING_TOKEN: token,
    },
  });
  return { status, stdout, stderr };
}

describe('The packed command, installed in an empty project', () => {
  it.each(NODES)('does its work under %s', { timeout: 3 * PACK_MS }, (name, node) => {
    const table = `session_id,plate,area_code,starts_at,ends_at\n${name},AB123CD,S1,2026-03-07 10:00,2026-03-07 11:00\n`;
    const imported = parking(
      node(),
      ['import', 'sessions', '-', '--format', 'csv', '--source', 'app1', '--json'],
      table,
    );
    expect(imported).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(imported.stdout)).toMatchObject({ received: 1, created: 1 });
    const checked = parking(node(), ['check', 'AB123CD', '--json']);
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(checked.stdout)).toMatchObject({ plate: 'AB123CD' });
    expect(parking(node(), ['config', 'diff', '-'], 'tenants: [{ code: 7 }]').status).toBe(1);
  });

  it('says to a Node that is too old which one it needs', () => {
    const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"18.20.4"}})';
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', old, join(folder, 'node_modules/parking/bin/parking.js'), 'check', 'AB123CD'],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([2, 'parking: Node 20.12 or later is needed. This is Node 18.20.4.\n']);
  });

  it('needs no other package, names none, and brings the licences of what is in it', () => {
    const installed = join(folder, 'node_modules');
    expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['parking']);
    const manifest: Record<string, unknown> = JSON.parse(
      readFileSync(join(installed, 'parking/package.json'), 'utf8'),
    );
    expect(Object.keys(manifest)).not.toContain('dependencies');
    const licences = readFileSync(join(installed, 'parking/dist/LICENSES.txt'), 'utf8');
    for (const name of ['commander', '@clack/prompts', 'cli-table3', 'csv-parse', 'yaml', 'zod']) {
      expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(\\w+\\)$`, 'm'));
    }
  });

  it('says its version', () => {
    const { version }: { version: string } = JSON.parse(readFileSync('clients/parking/package.json', 'utf8'));
    expect(parking(newestNode(), ['--version']).stdout).toBe(`${version}\n`);
  });
});
