import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(path, 'utf8');
const DOCUMENTS = [
  ...[
    '*.md',
    'docs/**/*.md',
    'clients/*/README.md',
    'tools/*/*.md',
    '{test,tools}/*/*/SOURCE.md',
  ],
].flatMap((pattern) => globSync(pattern).map((path) => path.replaceAll('\\', '/')));

/** The front page is read whole, or not at all. */
const MAX_README_LINES = 160;

const FENCE = /^```[\s\S]*?^```/gm;
const withoutFences = (text: string): string => text.replace(FENCE, '');

/** The targets of Markdown links, but for those of other sites. */
const linksOf = (path: string): string[] =>
  [...withoutFences(read(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (path: string): string[] =>
  [...withoutFences(read(path)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

function isTrue(link: string, from: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor));
}

/** Files and folders of ours that a document names as code: `src/domain/`, `test/access/budget.test.ts`. */
const namedPaths = (path: string): string[] =>
  [...read(path).matchAll(/`((?:src|test|tools|docs|migrations|clients)\/[\w./*-]+)`/g)].map(
    ([, named = '']) => named,
  );

/** The names of our files, without their folders. */
const FILE_NAMES = new Set(
  globSync('{src,test,tools,clients}/**/*.ts', { exclude: (path) => path.includes('node_modules') }).map(
    (path) => basename(path),
  ),
);

/** File names without a folder in a document: `item-fields.ts`. Skips patterns such as `*-table.ts`. */
const bareNames = (path: string): string[] =>
  [...read(path).matchAll(/(?<![\w/.*-])[\w.-]+\.ts(?!\w)/g)].map(([named]) => named);

/** The rows of where-rules-live.md: a file, and what it has. */
const RULES = [...read('docs/where-rules-live.md').matchAll(/^\| (.+) \| `(\S+)` \| `(\S+)` \|$/gm)].map(
  ([, rule = '', file = '', name = '']) => ({ rule, file, name }),
);

/** What a reader is to make. */
const TO_BE_MADE = ['src/my-operation/', 'tools/description/document/operations/my-operation.ts'];

describe('The documents', () => {
  it.each(DOCUMENTS)('%s has links that lead somewhere', (path) => {
    expect(linksOf(path).filter((link) => !isTrue(link, path))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s names files that exist', (path) => {
    const missing = namedPaths(path).filter(
      (named) => !TO_BE_MADE.includes(named) && globSync(named).length === 0,
    );
    expect(missing).toEqual([]);
  });

  it.each(DOCUMENTS)('%s names files by names that exist', (path) => {
    expect(bareNames(path).filter((named) => !FILE_NAMES.has(named))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s names npm scripts that exist', (path) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(path).matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('begin with a README that can be read in one go, and that leads to all of them', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES);
    const pages = DOCUMENTS.filter((path) => path.startsWith('docs/') || path === 'CONTRIBUTING.md');
    expect(pages.filter((page) => !linksOf('README.md').includes(page))).toEqual([]);
  });

  it.each(RULES)('say truly where $rule stands', ({ file, name }) => {
    expect(read(file)).toMatch(new RegExp(`\\b(const|function|class) ${name}\\b`));
  });

  it.each([
    ['`scadenza`', 'src/domain/plan-expiry.ts'],
    ['`excess_now`', 'src/domain/capacity.ts'],
    ["a meter's call", 'src/serving/pipeline/pipeline.ts'],
    ['which of the 403s comes first', 'src/serving/access/credential-record.ts'],
    ['an import may store in a day', 'src/domain/daily-changes.ts'],
  ])('lead from the README to %s in three steps: the list of rules, its line, the file', (words, file) => {
    expect(linksOf('README.md')).toContain('docs/where-rules-live.md');
    expect(RULES.filter(({ rule }) => rule.includes(words)).map((rule) => rule.file)).toContain(file);
  });

  it('say of every list of precedence where it stands', () => {
    const lists = globSync('src/**/*.ts').filter((path) => /readonly Rule</.test(read(path)));
    expect(lists.length).toBeGreaterThan(0);
    expect(lists.filter((path) => !RULES.some(({ file }) => file === path))).toEqual([]);
  });

  it('list every operation in the README', () => {
    const { paths } = JSON.parse(read('src/serving/openapi/openapi.json')) as {
      paths: Record<string, unknown>;
    };
    // A row may name several paths of one credential by their last part: `…/revoke`.
    const isListed = (path: string) =>
      read('README.md').includes(`\`${path}\``) ||
      read('README.md').includes(`\`…${path.slice(path.lastIndexOf('/'))}\``);
    expect(Object.keys(paths).length).toBeGreaterThan(0);
    expect(Object.keys(paths).filter((path) => !isListed(path))).toEqual([]);
  });

  it('explain every variable and secret of the Worker to its operator', () => {
    const names = [...read('src/env.ts').matchAll(/readonly ([A-Z_]+)\?:/g)].map(([, name = '']) => name);
    const explained = read('docs/operating.md') + read('docs/security.md');
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
  });

  it('explain every event of the structured log to its operator', () => {
    const worker = globSync('src/**/*.ts').map(read).join('\n');
    const events = [
      ...worker.matchAll(/logEvent\(\s*'\w+',\s*'(\w+)'/g),
      ...worker.matchAll(/JSON\.stringify\(\{\s*event: '(\w+)'/g),
    ].map(([, event = '']) => event);
    expect(events.length).toBeGreaterThan(0);
    const explained = read('docs/operating.md');
    expect(
      events.filter((event) => !explained.includes(`\`${event}\``) && !explained.includes(`"${event}"`)),
    ).toEqual([]);
  });

  it('list every table of the database', () => {
    const tables = globSync('src/storage/db/schema/*.ts').flatMap((path) =>
      [...read(path).matchAll(/sqliteTable\(\s*'(\w+)'/g)].map(([, table = '']) => table),
    );
    expect(tables.length).toBeGreaterThan(0);
    const listed = read('docs/architecture.md');
    expect(tables.filter((table) => !listed.includes(`\`${table}\``))).toEqual([]);
  });

  it('have the version of Node in agreement', () => {
    const { engines, version } = JSON.parse(read('package.json')) as {
      engines: { node: string };
      version: string;
    };
    const lock = JSON.parse(read('package-lock.json')) as {
      packages: { '': { engines: { node: string }; version: string } };
    };
    expect(engines.node).toBe(`>=${read('.nvmrc').trim()}`);
    expect(lock.packages['']).toMatchObject({ engines, version });
    expect(read('README.md')).toContain(`any Node from ${read('.nvmrc').trim()}`);
  });
});
