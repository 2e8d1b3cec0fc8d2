import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(path, 'utf8');
const DOCUMENTS = globSync([
  '*.md',
  'docs/**/*.md',
  'clients/*/README.md',
  'tools/*/*.md',
  '{test,tools}/*/*/SOURCE.md',
]);
const FILE_NAMES = new Set(
  globSync('{src,test,tools,clients}/**/*.ts', { exclude: (path) => path.includes('node_modules') }).map(
    (path) => basename(path),
  ),
);
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** What a reader is to make. */
const TO_BE_MADE = ['src/my-operation/', 'tools/description/document/operations/my-operation.ts'];

const withoutFences = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');
const allIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (path: string): string[] =>
  allIn(withoutFences(read(path)), /^#+ (.*)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

function leadsSomewhere(link: string, from: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

describe.each(DOCUMENTS)('%s', (path) => {
  const text = read(path);

  it('has links that lead somewhere', () => {
    const links = allIn(withoutFences(text), /\]\(([^)\s]+)\)/g).filter((link) => !/^https?:/.test(link));
    expect(links.filter((link) => !leadsSomewhere(link, path))).toEqual([]);
  });

  it('names files and npm scripts that exist', () => {
    const paths = allIn(text, /`((?:src|test|tools|docs|migrations|clients)\/[\w./*-]+)`/g);
    expect(paths.filter((named) => !TO_BE_MADE.includes(named) && globSync(named).length === 0)).toEqual([]);
    const bareNames = allIn(text, /(?<![\w/.*-])([\w.-]+\.ts)(?!\w)/g);
    expect(bareNames.filter((name) => !FILE_NAMES.has(name))).toEqual([]);
    expect(allIn(text, /npm run ([\w:-]+)/g).filter((script) => !(script in scripts))).toEqual([]);
  });
});

it('docs/where-rules-live.md names functions that exist, in their files', () => {
  const rules = [...read('docs/where-rules-live.md').matchAll(/^\| .+ \| `(\S+)` \| `(\S+)` \|$/gm)];
  expect(rules.length).toBeGreaterThan(0);
  for (const [, file = '', name] of rules) {
    expect(read(file)).toMatch(new RegExp(`\\b(const|function\\*?|class) ${name}\\b`));
  }
});
