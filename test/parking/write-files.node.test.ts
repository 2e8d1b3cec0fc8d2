import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { writeFiles } from '../../tools/clients/write-files.ts';

const parent = mkdtempSync(join(tmpdir(), 'built-'));
afterAll(() => rmSync(parent, { recursive: true }));

const FILES = [
  { name: 'main.js', text: 'main' },
  { name: 'parts/a.js', text: 'a' },
  { name: 'parts/b.js', text: 'b' },
];
const contentsOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .sort();

describe('A folder that is built', () => {
  it('holds its files and no others, and those that are the same are left alone', () => {
    const folder = join(parent, 'once');
    writeFiles(folder, FILES);
    expect(contentsOf(folder)).toEqual(['a', 'b', 'main']);
    const unchanged = statSync(join(folder, 'parts/a.js')).ino;
    writeFiles(folder, [{ name: 'main.js', text: 'other' }, ...FILES.slice(1, 2)]);
    expect(contentsOf(folder)).toEqual(['a', 'other']);
    expect(statSync(join(folder, 'parts/a.js')).ino).toBe(unchanged);
  });

  it('can be built by several at the same time, as by two starts of the service', async () => {
    const folder = join(parent, 'together');
    const tool = fileURLToPath(new URL('../../tools/clients/write-files.ts', import.meta.url));
    const script = `
      import { writeFiles } from ${JSON.stringify(tool)};
      const texts = (round) => Array.from({ length: 20 }, (_, n) => ({ name: \`parts/\${n}.js\`, text: \`\${round} \${n}\` }));
      for (let round = 0; round < 50; round += 1) writeFiles(${JSON.stringify(folder)}, texts(round));`;
    const builders = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const codes = await Promise.all(builders.map(async (builder) => (await once(builder, 'exit'))[0]));
    expect(codes).toEqual([0, 0, 0]);
    expect(contentsOf(folder)).toEqual(Array.from({ length: 20 }, (_, n) => `49 ${n}`).sort());
    expect(readdirSync(parent).sort()).toEqual(['once', 'together']);
  });
});
