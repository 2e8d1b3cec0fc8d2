import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Copy } from '../planted-faults/plant.ts';
import { THOROUGH } from '../support/run-form.ts';

// The walk of CONTRIBUTING.md, followed in a copy of the checkout with the toy's own files.
const TOY = 'test/toy-operation';
const FOLDER = 'src/my-operation';
const WORDS = 'tools/description/document/operations/my-operation.ts';
const copy = new Copy();
const walk = /## Add an operation\n([\s\S]*?)\n## /.exec(readFileSync('CONTRIBUTING.md', 'utf8'))?.[1] ?? '';

/** What each step changes, in the order of the walk. */
const STEPS: readonly [file: string, change: (text: string) => string][] = [
  [
    'src/operations.ts',
    (text) =>
      text
        .replace(
          'import type { ListedOperation',
          "import { countAreas, countLetters } from './my-operation/operation.ts';\n$&",
        )
        .replace(/\n\];\n/, '\n  countAreas,\n  countLetters,\n];\n'),
  ],
  [
    'test/suites/right-answers.ts',
    (text) =>
      text.replace(
        '  checkPlate: atGate,\n',
        `$&  countAreas: { leastBody: '{}', body: () => ({}), right: { areas_count: 2 }, asksObject: true },
  countLetters: {
    body: (serial) => ({ name: \`Roma \${serial}\` }),
    right: { letters_count: expect.any(Number) },
    asksDatabase: false,
  },
`,
      ),
  ],
];

/** Read by those who are given the whole service. */
const README_ROWS = '\n`/api/v2/toys/areas/{area_code}` `/api/v2/admin/toys/letters`\n';

function edit(file: string, change: (text: string) => string): void {
  const path = join(copy.folder, file);
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

const inCopy = (...command: readonly string[]): string =>
  execFileSync(process.execPath, command, { cwd: copy.folder, encoding: 'utf8' });

beforeAll(() => {
  mkdirSync(join(copy.folder, FOLDER));
  for (const name of ['contract.ts', 'operation.ts']) {
    cpSync(join(TOY, name), join(copy.folder, FOLDER, name));
    edit(`${FOLDER}/${name}`, (text) => text.replaceAll("'../../src/", "'../"));
  }
  cpSync(join(TOY, 'description.ts'), join(copy.folder, WORDS));
  edit(WORDS, (text) =>
    text
      .replaceAll("'../../tools/description/document/", "'../")
      .replace("'./operation.ts'", `'../../../../${FOLDER}/operation.ts'`),
  );
  for (const [file, change] of STEPS) edit(file, change);
  edit('README.md', (text) => text + README_ROWS);
});

describe('Adding an operation as CONTRIBUTING says', () => {
  it('takes the files that it names, and no other', () => {
    const named = [...walk.matchAll(/^\d\. .*(?:\n {3}.*)*/gm)].map(([step]) => step);
    expect(named.length).toBe(5);
    expect(named[0]).toContain(`${FOLDER}/`);
    expect(named[2]).toContain(`\`${WORDS}\``);
    for (const [file] of STEPS) expect(walk).toContain(`\`${file}\``);
    expect(named[4]).toContain('npm run generate');
    expect(named[4]).toContain('README');
  });

  it('makes the operation part of the description, by its files alone', () => {
    const { paths } = JSON.parse(inCopy('tools/description/document/print.ts')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(paths['/api/v2/toys/areas/{area_code}']?.post?.operationId).toBe('countAreas');
    expect(paths['/api/v2/admin/toys/letters']?.put?.operationId).toBe('countLetters');
  });

  // Minutes: in the short form the tests of the toy itself stand for it.
  if (THOROUGH) {
    it('leaves nothing for the compiler and the shared suites to find', async () => {
      const modules = 'tools/description/client-generator/node_modules';
      symlinkSync(resolve(modules), join(copy.folder, modules));
      inCopy('tools/description/generate.ts');
      inCopy('node_modules/typescript/bin/tsc', '--build', 'src');
      const tests = ['test/each-operation', 'test/openapi/document.test.ts', 'test/conformance'];
      const { failed, broken, passed } = await copy.test(tests, { stopAtFirst: false });
      expect({ failed, broken }).toEqual({ failed: [], broken: null });
      expect(passed).toBeGreaterThan(0);
    }, 900_000);
  }
});
