import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtService } from '../bench/bundle.ts';
import { REMEMBERING } from '../support/own-modules.ts';
import { atLeastOne, filesBelow, importsOf, source, withoutComments } from './source.ts';

const files = filesBelow('src');
const below = (folder: string): string[] => filesBelow(`src/${folder}`);
const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));

/** Files of any of these kinds, of which there must be some of each. */
const ofKinds = (...kinds: readonly RegExp[]): string[] =>
  kinds.flatMap((kind) =>
    atLeastOne(
      files.filter((path) => kind.test(path)),
      `no file is like ${kind}`,
    ),
  );

/** Imports that lead from files into folders that are there, each as `from → to`. */
function crossings(paths: readonly string[], folders: readonly string[]): string[] {
  const targets = new Set(folders.flatMap(filesBelow));
  return paths.flatMap((path) =>
    importsOf(path)
      .filter((imported) => targets.has(imported))
      .map((imported) => `${path} → ${imported}`),
  );
}

const CONTRACT = /\/contract\.ts$/;

/** The features, each a folder of operations: those whose contracts the description has. */
const FEATURES = atLeastOne(
  [...new Set(filesBelow('tools/description/document/operations').flatMap(importsOf))]
    .filter((path) => CONTRACT.test(path))
    .map((path) => dirname(path)),
  'the description has no feature',
);

/** The groups of folders, in the order of docs/architecture.md: an import leads to the same group or to one before it. */
const GROUPS = [
  'domain',
  'base',
  'storage',
  'serving',
  'core',
  'field',
  'intake',
  'office',
  'public',
  'upkeep',
];
/** Each is for other users, so that none of them imports another. */
const FOR_USERS = ['field', 'intake', 'office', 'public', 'upkeep'];

describe('The groups of folders', () => {
  it('are those that there are', () => {
    const folders = files.map((path) => path.split('/')).filter((parts) => parts.length > 2);
    expect([...new Set(folders.map(([, group]) => group))].sort()).toEqual(GROUPS.toSorted());
  });

  it.each(GROUPS)('%s imports only the groups before it, and the bindings', (group) => {
    const before = GROUPS.slice(0, GROUPS.indexOf(group));
    const open = FOR_USERS.includes(group) ? before.filter((name) => !FOR_USERS.includes(name)) : before;
    const closed = GROUPS.filter((name) => name !== group && !open.includes(name));
    expect(
      crossings(
        below(group),
        closed.map((name) => `src/${name}`),
      ),
    ).toEqual([]);
    const atTop = below(group)
      .flatMap(importsOf)
      .filter((path) => /^src\/[^/]+\.ts$/.test(path));
    expect(atTop.filter((path) => path !== 'src/env.ts')).toEqual([]);
  });
});

describe('The domain', () => {
  it.each(below('domain'))('%s knows nothing but the domain and Temporal', (path) => {
    const strangers = importsOf(path).filter(
      (imported) => !imported.startsWith('src/domain/') && !imported.startsWith('temporal-polyfill/fns/'),
    );
    expect(strangers).toEqual([]);
  });

  it.each(below('domain'))('%s reads no clock and does no I/O', (path) => {
    expect(withoutComments(source(path))).not.toMatch(
      /Date\.now|new Date\(\)|Temporal\.Now|performance|Math\.random|fetch\(|await |setTimeout|crypto/,
    );
  });

  it('takes Temporal function by function: its classes would be a fifth of what an isolate starts with', () => {
    const imported = files.flatMap(importsOf).filter((name) => name.startsWith('temporal-polyfill'));
    expect(imported).not.toEqual([]);
    expect(imported.filter((name) => !name.startsWith('temporal-polyfill/fns/'))).toEqual([]);
  });
});

describe('The features', () => {
  it('are the folders that have routes, but for the pages', () => {
    const folders = ofKinds(/\/routes\.ts$/).map((path) => dirname(path));
    expect(folders.filter((path) => path !== 'src/public/pages').sort()).toEqual(FEATURES.toSorted());
  });

  it.each(FEATURES)('%s imports no other feature', (feature) => {
    const others = FEATURES.filter((name) => name !== feature);
    expect(crossings(filesBelow(feature), others)).toEqual([]);
  });

  it('are imported by the app alone, by the crons, and by what warms a new isolate up', () => {
    const outside = files.filter((path) => !isIn(path, FEATURES));
    const importing = outside.filter((path) => crossings([path], FEATURES).length > 0);
    expect(importing.sort()).toEqual(['src/app.ts', 'src/crons.ts', 'src/warm-up.ts']);
  });
});

describe('HTTP', () => {
  it('knows neither the admission, nor the call log, nor the middleware', () => {
    const rooms = ['src/serving/access', 'src/storage/call-log', 'src/serving/middleware'];
    expect(crossings(below('serving/http'), rooms)).toEqual([]);
  });

  it('stays at the edge: rules, tables and the object know no Hono', () => {
    const inner = ofKinds(
      /-table\.ts$/,
      /-statements\.ts$/,
      /\/facts\.ts$/,
      /^src\/storage\/db\//,
      /^src\/domain\//,
      /credential-object\.ts$/,
    );
    const importsHono = (path: string) => importsOf(path).some((imported) => imported.startsWith('hono'));
    expect(inner.filter(importsHono)).toEqual([]);
    expect(files.filter(importsHono)).not.toEqual([]);
  });
});

describe('The description', () => {
  it('is in no module, as the tools are in none: what is deployed is src, all of it', () => {
    const inputs = builtService().modules.flatMap((module) => module.inputs);
    const deployed = files.filter((path) => inputs.includes(path));
    expect(deployed).toContain('src/app.ts');
    expect(inputs.filter((path) => isIn(path, ['tools', 'test']))).toEqual([]);
    // A file of types alone leaves nothing in a module: it is reached by an import of one that does.
    const reached = new Set([...deployed, ...files.flatMap(importsOf)]);
    expect(files.filter((path) => !reached.has(path))).toEqual([]);
  });

  it('is what everything that a test receives is held to', () => {
    // What measures time alone asks what others have had held to it.
    const apart = /^test\/(architecture|bench)\//;
    const callers = filesBelow('test').filter(
      (path) => /\bcreateApp\(/.test(source(path)) && !apart.test(path),
    );
    expect(callers.length).toBeGreaterThan(0);
    expect(callers.filter((path) => !source(path).includes('expectInContract('))).toEqual([]);
  });
});

describe('The tools', () => {
  it('know nothing of the tests, and write nothing among them', () => {
    const tools = filesBelow('tools');
    expect(crossings(tools, ['test'])).toEqual([]);
    const naming = tools.filter((path) => /\btest\//.test(withoutComments(source(path))));
    expect(naming).toEqual([]);
  });
});

describe('A file', () => {
  it('of SQL is one of the files that are for it', () => {
    const isSql = (path: string) => /\.prepare\(|from 'drizzle-orm/.test(source(path));
    const allowed = ofKinds(/-(table|statements?|parts)\.ts$/, /\/facts\.ts$/, /^src\/storage\/db\//);
    expect(allowed.filter(isSql)).not.toEqual([]);
    expect(files.filter((path) => isSql(path) && !allowed.includes(path))).toEqual([]);
  });

  it('reads the clock by the one function for it, where a call or a cron begins, and where something is stored', () => {
    const readers = files.filter((path) =>
      /Date\.now\(|new Date\(\)|Temporal\.Now/.test(withoutComments(source(path))),
    );
    expect(readers).toEqual(['src/base/platform/clock.ts']);
    expect(files.filter((path) => source(path).includes('/platform/clock.ts')).sort()).toEqual([
      'src/core/payments/store-statements.ts',
      'src/intake/imports/run-import.ts',
      'src/office/configuration/put-configuration.ts',
      'src/serving/access/credential-object.ts',
      'src/serving/middleware/begin.ts',
      'src/worker.ts',
    ]);
  });

  it('remembers nothing between calls outside an `Isolate`, but what is the same whenever it is made', () => {
    const holds = files.filter((path) =>
      /^(export )?(let |const \w+(: \S+)? = new ((Weak)?(Map|Set)(<.*>)?\(\)|Memo\b))/m.test(source(path)),
    );
    expect(holds.sort()).toEqual(
      [
        ...REMEMBERING,
        'src/base/crypto/digest.ts',
        'src/serving/access/ip-allowlist.ts',
        'src/domain/zoned-time.ts',
      ].sort(),
    );
  });

  it('throws a refusal by the one helper for it: what is concluded is returned', () => {
    const throwing = files.filter((path) => /throw new \w*Refusal\b/.test(withoutComments(source(path))));
    expect(throwing).toEqual([]);
    expect(source('src/base/errors/refusal.ts')).toMatch(/throw refused instanceof Refusal/);
  });

  it('is short enough to read', () => {
    expect(files.filter((path) => source(path).split('\n').length > 500)).toEqual([]);
  });
});
