import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const files = globSync('src/**/*.ts').map((path) => path.replaceAll('\\', '/'));
const source = (path: string): string => readFileSync(path, 'utf8');
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** What a file imports: paths of ours from the project's root, names of packages as they are. */
function importsOf(path: string): string[] {
  const specifiers = [...source(path).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  );
  return specifiers.map((specifier) =>
    specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier,
  );
}

const below = (...folders: string[]): string[] =>
  files.filter((path) => folders.some((folder) => path.startsWith(`src/${folder}/`)));

/** The features: each answers operations of its own, and none knows of another. */
const FEATURES = [
  'plate-check',
  'subscription-options',
  'active-by-area',
  'public-occupancy',
  'imports',
  'admin',
];

/** What makes the description, and is no part of the Worker. */
const isDescription = (path: string): boolean =>
  path.startsWith('src/openapi/') && path !== 'src/openapi/route.ts';

describe('The walls between the rooms', () => {
  it('stand around files that exist', () => {
    for (const folder of ['domain', 'local', ...FEATURES]) {
      expect(below(folder).length).toBeGreaterThan(0);
    }
  });

  it.each(below('domain'))('%s knows nothing but the domain and Temporal', (path) => {
    const strangers = importsOf(path).filter(
      (imported) => !imported.startsWith('src/domain/') && imported !== 'temporal-polyfill/implementation',
    );
    expect(strangers).toEqual([]);
  });

  it.each(below('domain'))('%s reads no clock and does no I/O', (path) => {
    expect(withoutComments(source(path))).not.toMatch(
      /Date\.now|new Date\(\)|Temporal\.Now|performance|Math\.random|fetch\(|await |setTimeout|crypto/,
    );
  });

  it.each(FEATURES)('src/%s imports no other feature', (feature) => {
    const others = FEATURES.filter((name) => name !== feature).map((name) => `src/${name}/`);
    const crossing = below(feature).flatMap((path) =>
      importsOf(path).filter((imported) => others.some((other) => imported.startsWith(other))),
    );
    expect(crossing).toEqual([]);
  });

  it('lets only the composition import features, and what describes them', () => {
    const inward = FEATURES.map((name) => `src/${name}/`);
    const outside = files.filter((path) => !inward.some((folder) => path.startsWith(folder)));
    const importing = outside.filter((path) =>
      importsOf(path).some((imported) => inward.some((folder) => imported.startsWith(folder))),
    );
    expect(importing.filter((path) => !isDescription(path))).toEqual(['src/app.ts']);
  });

  it('deploys nothing of what makes the description: it is made before', () => {
    const importing = files.filter(
      (path) => !isDescription(path) && importsOf(path).some((imported) => isDescription(imported)),
    );
    expect(importing).toEqual([]);
  });

  it('holds whatever a test receives to the description', () => {
    // What measures time alone asks what others have had held to it.
    const apart = /^test\/(architecture\/|bench\/|hostile\/growth)/;
    const callers = globSync('test/**/*.ts', {
      exclude: (path) => /node_modules/.test(String(path)),
    }).filter((path) => /\bcreateApp\(/.test(source(path)) && !apart.test(path));
    expect(callers.length).toBeGreaterThan(0);
    expect(callers.filter((path) => !source(path).includes('expectInContract('))).toEqual([]);
  });

  it('keeps SQL in the files that are for it', () => {
    const sql = /\.prepare\(|from 'drizzle-orm/;
    const allowed = /-(table|statements)\.ts$|\/facts\.ts$|^src\/db\//;
    expect(files.filter((path) => sql.test(source(path)) && !allowed.test(path))).toEqual([]);
  });

  it('keeps HTTP at the edge: rules, tables and the object know no Hono', () => {
    const inner = files.filter((path) =>
      /-table\.ts$|\/facts\.ts$|^src\/db\/|^src\/domain\/|credential-object\.ts$/.test(path),
    );
    expect(inner.filter((path) => importsOf(path).some((imported) => imported.startsWith('hono')))).toEqual(
      [],
    );
  });

  it('reads the clock once a call: at its start, and in the credential’s object; for the crons, at their entry', () => {
    const readers = files.filter(
      (path) =>
        !path.startsWith('src/local/') &&
        /Date\.now\(|new Date\(\)|Temporal\.Now/.test(withoutComments(source(path))),
    );
    expect(readers.sort()).toEqual([
      'src/access/credential-object.ts',
      'src/http/request-context.ts',
      'src/worker.ts',
    ]);
  });

  it('takes Temporal from the polyfill itself, whatever the runtime has', () => {
    const others = files.filter((path) =>
      importsOf(path).some((imported) => imported === 'temporal-polyfill'),
    );
    expect(others).toEqual([]);
  });

  it('keeps every file short enough to read', () => {
    const long = files.filter((path) => source(path).split('\n').length > 300);
    expect(long).toEqual([]);
  });
});
