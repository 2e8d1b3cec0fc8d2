import { existsSync, globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reachedBy } from './reached.ts';

const everything = (path: string) => reachedBy(['README.md', path]).everything;
const folders = (...paths: string[]) => {
  const reached = reachedBy(paths);
  return reached.everything === null ? reached.folders : reached.everything;
};

/** Walls, documents and planted faults, which are about every file. */
const ALWAYS = ['test/architecture', 'test/planted-faults'];

describe('A change', () => {
  it.each([
    'migrations/0001_first.sql',
    'migrations/meta/_journal.json',
    'src/storage/db/writable.ts',
    'src/intake/imports/target-table.ts',
    'src/intake/imports/sessions-table.ts',
    'src/field/entitlement-list/changes-statement.ts',
    'src/upkeep/transfer/part-table.ts',
    'src/storage/history/configuration-versions-table.ts',
    'src/core/entitlement/facts.ts',
    'wrangler.toml',
    'package.json',
    'package-lock.json',
    'test/vitest.config.ts',
    'test/support/service.ts',
  ])('of %s reaches everything, and says that it does', (path) => {
    expect(everything(path)).toContain(path);
  });

  it.each(['src/domain/plate.ts', 'clients/parking/main.ts', 'tools/local/start.ts', 'test/runs/reached.ts'])(
    'of %s does not reach everything',
    (path) => {
      expect(everything(path)).toBeNull();
    },
  );

  it('of any file reaches what is about every file', () => {
    expect(folders('docs/gate.md')).toEqual(ALWAYS);
  });

  it('of nothing reaches that alone', () => {
    expect(folders()).toEqual(ALWAYS);
  });

  it('of the service reaches what starts it in a process of its own', () => {
    expect(folders('src/domain/plate.ts')).toEqual(
      expect.arrayContaining(['test/local', 'test/parking', 'test/client', 'test/gate', 'test/hostile']),
    );
  });

  it('of the office’s command reaches its tests', () => {
    expect(folders('clients/parking/main.ts')).toEqual([...ALWAYS, 'test/openapi', 'test/parking'].sort());
  });

  it('of a test reaches its folder', () => {
    expect(folders('test/races/budget-clock.ts', 'test/gate/store-writer.ts')).toEqual([
      'test/architecture',
      'test/gate',
      'test/planted-faults',
      'test/races',
    ]);
  });

  it('reaches folders that are there, and every folder of tests in Node but this one', () => {
    const all = folders(
      'src/a.ts',
      'clients/client/a.ts',
      'clients/parking/a.ts',
      'clients/widget/a.ts',
      'tools/deploy/a.ts',
    );
    expect([...all].filter((folder) => !existsSync(folder))).toEqual([]);
    const inNode = globSync('test/*/*.node.test.ts').map((path) => path.split('/').slice(0, 2).join('/'));
    expect([...new Set(inNode)].filter((folder) => folder !== 'test/runs' && !all.includes(folder))).toEqual(
      [],
    );
  });
});
