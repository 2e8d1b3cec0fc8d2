import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { atLeastOne, filesBelow, source } from './source.ts';

/** The documents in English. The glossary names the words, and a working day is what a command prints. */
const DOCUMENTS = globSync([
  '*.md',
  'docs/*.md',
  'docs/interface/*.md',
  'clients/{client,parking}/README.md',
  'tools/platform/README.md',
])
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !['docs/glossary.md', 'docs/parking-session.md'].includes(path));

/** Folders whose comments and messages are edited. The rest of `src` is added folder by folder. */
const EDITED = [
  ...['clients/client', 'clients/widget', 'clients/parking'],
  ...[
    'tools/build',
    'tools/clients',
    'tools/cost',
    'tools/deploy',
    'tools/description/document',
    'tools/gate',
    'tools/local',
    'tools/platform',
  ],
  ...['src/base', 'src/core', 'src/domain', 'src/serving', 'src/field', 'src/intake'],
  ...[
    'administration',
    'calls',
    'configuration',
    'credentials',
    'erasure',
    'evidence',
    'export',
    'history',
    'lateness',
    'subscriptions',
    'watch',
  ].map((name) => `src/office/${name}`),
  'src/public',
  ...['call-log', 'configuration', 'databases', 'db', 'history', 'plate-digest', 'stored-plates'].map(
    (name) => `src/storage/${name}`,
  ),
  ...['databases', 'retention', 'transfer'].map((name) => `src/upkeep/${name}`),
];

/** In place of a role that has a name; and a word that English has lost. */
const NEVER = /\b(?:whoever|somebody|nobody|anew)\b/gi;

/** Each may stand alone. Three in a paragraph read as translated. */
const SELDOM =
  /\b(?:what (?:is|was|were|has|had)|(?:is|are|was|were) told|stands|in any case|as far as|so much as|is none|goes on|going on)\b/gi;
const MAX_SELDOM = 2;

/** The names that the glossary rejects and that have another, unambiguous meaning here. */
const OTHER_MEANINGS: Readonly<Record<string, string>> = {
  account: 'of the platform',
  age: 'of data, in seconds',
  budget: 'a term itself',
  cache: 'a memo; a header of HTTP',
  client: 'the program that calls',
  current: 'of a pair of secrets',
  deletion: 'by retention',
  entry: 'of a list; a car that arrives',
  error: 'of JavaScript; the envelope of an answer',
  expiry: '`scadenza`',
  failure: 'a term itself',
  feed: 'a line feed',
  finding: 'a term itself',
  index: 'of SQL; of a list',
  key: 'of cryptography; of a row',
  load: 'to import a module lazily',
  map: 'of JavaScript; of a city',
  margin: 'of CSS',
  migration: 'of the schema',
  offset: 'from UTC',
  option: 'what a meter may sell',
  parking: 'in names of the wire',
  place: 'a municipality or an area; the position of something; “in place of”',
  position: 'in a list',
  quota: 'a term itself; French',
  refusal: 'a term itself',
  rejection: 'of a line',
  renewal: 'of a subscription',
  report: 'an operation',
  result: 'of a statement',
  revision: 'a property of imported lines',
  right: 'entitlement of a list, in `field` and `domain/patrol`; correct; left and right',
  root: 'of CSS',
  stay: 'how long a municipality has been in a database; a verb',
  title: 'of a page',
  token: 'a credential’s',
  transfer: 'the folder of moves',
  validity: 'of an interval',
  zone: 'a time zone; French',
};

/** A page has a title, and French has zones. */
const isPage = (path: string): boolean => path.startsWith('src/public/pages/');

/** Comments, and texts of several words. */
const PROSE =
  /\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+|\/\/ .*|'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/gm;

const paragraphsOf = (path: string): string[] =>
  path.endsWith('.md')
    ? source(path)
        .replace(/^```[\s\S]*?^```/gm, '')
        .split(/\n\s*\n|\n(?=\s*(?:[-|#]|\d+\.) ?)/)
    : [...source(path).matchAll(PROSE)].map(([prose]) => prose);

/** The paragraphs with more of some words than may be, each with its file. */
const beyond = (paths: readonly string[], words: RegExp, max: number): string[] =>
  paths.flatMap((path) =>
    paragraphsOf(path)
      .filter((paragraph) => (paragraph.match(words) ?? []).length > max)
      .map((paragraph) => `${path}: ${paragraph.trim().slice(0, 200)}`),
  );

/** Words of code and comments, with `timeZone` and `time_zone` taken apart. */
const wordsOf = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();

const REJECTED_NAMES = atLeastOne(
  [...source('docs/glossary.md').matchAll(/^\| [^|]+ \| [^|]+ \| ([^|]+) \|$/gm)]
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => !['not', '---', ''].includes(name)),
  'no names in the glossary',
);

describe('Plain English', () => {
  const edited = [...DOCUMENTS, ...EDITED.flatMap(filesBelow)];

  it('names the role: no “whoever”, “somebody”, “nobody”, and no “anew”', () => {
    expect(beyond(edited, NEVER, 0)).toEqual([]);
  });

  it('has no paragraph that reads as translated', () => {
    expect(beyond(edited, SELDOM, MAX_SELDOM)).toEqual([]);
  });
});

describe('The glossary', () => {
  const texts = filesBelow('src').map((path) => [path, wordsOf(source(path))] as const);

  it.each([...new Set(REJECTED_NAMES)].filter((name) => !(name in OTHER_MEANINGS)))(
    'keeps “%s” out of the service’s code',
    (name) => {
      const word = new RegExp(`\\b${name}s?\\b`);
      expect(texts.filter(([, text]) => word.test(text)).map(([path]) => path)).toEqual([]);
    },
  );

  it('rejects every name that is listed with another meaning', () => {
    expect(Object.keys(OTHER_MEANINGS).filter((name) => !REJECTED_NAMES.includes(name))).toEqual([]);
  });

  it('calls an area, a cursor or progress by its name: no type is a place', () => {
    const typed = filesBelow('src').filter((path) => /\b(?:class|interface|type) Place\b/.test(source(path)));
    expect(typed).toEqual([]);
  });

  it('calls a subscription by its name: no title but a page’s', () => {
    const titled = texts.filter(([, text]) => /\btitles?\b/.test(text)).map(([path]) => path);
    expect(titled.filter((path) => !isPage(path))).toEqual([]);
  });

  it('says area, or time zone: no zone but of time', () => {
    const zoned = texts.filter(([, text]) => /(?<!time[\s*/-]+)\bzones?\b/.test(text)).map(([path]) => path);
    expect(zoned.filter((path) => !isPage(path))).toEqual([]);
  });
});
