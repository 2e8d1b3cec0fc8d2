import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { withoutWords } from './words.ts';
import { type BuiltText, writeFiles } from './write-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url).href);

/** The Worker's path in wrangler.toml. */
const FOLDER = join(root, '.wrangler/built');

const ENTRY = 'src/worker.ts';

/** The name of the module that is started. */
const FIRST = 'worker.mjs';

/** A module, or the source map of one. */
interface BuiltFile extends BuiltText {
  /** The files that it is made of. */
  readonly inputs: readonly string[];
}

/** The Worker as it is uploaded. */
export interface BuiltWorker {
  /** The first one first. */
  readonly modules: readonly BuiltFile[];
  /**
   * The modules that an isolate starts with: the first, and its imports. The others are loaded when they are
   * needed.
   */
  readonly atStart: readonly BuiltFile[];
  readonly sourceMaps: readonly BuiltFile[];
  /** The files that the Worker is made of. */
  readonly inputs: readonly string[];
}

const leaveWordsBehind: Plugin = {
  name: 'leave words behind',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      path.startsWith(`${root}src/`)
        ? { contents: withoutWords(await readFile(path, 'utf8')), loader: 'ts' }
        : null,
    );
  },
};

/**
 * Unused files of libraries: zod's JSON Schema writer makes the description before the build, and its
 * memoizer is for recursive values, which JSON does not have; the schema uses no columns of PostgreSQL or of
 * further types; and the runtime's own Temporal is never used.
 */
const UNUSED =
  /\/(zod\/v4\/core\/(to-json-schema|json-schema-processors|memoizer)|drizzle-orm\/(pg-core\/columns\/enum|sqlite-core\/columns\/(custom|numeric))|temporal-polyfill\/chunks\/funcApi-native)\.js$/;

/** Replaces the exports of {@link UNUSED} files by empty functions. */
const leaveUnusedBehind: Plugin = {
  name: 'leave unused behind',
  setup({ onLoad }) {
    onLoad({ filter: UNUSED }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const [, list = ''] = /^export \{([^}]*)\}/m.exec(text) ?? [];
      const exported = [
        ...text.matchAll(/^export (?:const|function) (\w+)/gm),
        ...list.matchAll(/([\w$]+)\s*(?:,|$)/g),
      ];
      return { contents: exported.map(([, name]) => `export const ${name} = () => {};`).join('\n') };
    });
  },
};

/** Runtimes differ in their own Temporal, and one had a clock that stood still: ours is the one that the tests know. */
const takeOwnTemporal: Plugin = {
  name: 'take own Temporal',
  setup({ onLoad }) {
    onLoad({ filter: /\/temporal-polyfill\/chunks\/root\.js$/ }, () => ({
      contents: 'export const NativeTemporal = undefined;',
    }));
  },
};

/**
 * Keeps the files of the start in one module. The bundler would make a module for each set of files that the
 * same entries reach, which are dozens. So every lazily loaded file imports the Worker's entry too, which is
 * loaded by then anyway.
 */
const startWithOneModule: Plugin = {
  name: 'start with one module',
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /^\./ }, async ({ kind, path, pluginData, ...args }) => {
      if (kind !== 'dynamic-import' || pluginData === 'resolving') return null;
      const resolved = await resolve(path, { ...args, kind, pluginData: 'resolving' });
      return { path: resolved.path, namespace: 'lazy' };
    });
    onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      contents: `import '${ENTRY}'; export * from '${path}';`,
      resolveDir: root,
    }));
    onResolve({ filter: /^src\/worker\.ts$/ }, () => ({ path: join(root, ENTRY) }));
  },
};

/**
 * Builds the Worker, without the words of the description: the module that an isolate starts with, and those that it
 * loads when they are needed.
 *
 * @throws Error when it cannot be built
 */
export async function buildWorker(): Promise<BuiltWorker> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outdir: FOLDER,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
    sourcemap: 'linked',
    metafile: true,
    write: false,
    logLevel: 'silent',
    plugins: [startWithOneModule, leaveWordsBehind, leaveUnusedBehind, takeOwnTemporal],
  });
  const outputs = byName(metafile);
  const files = outputFiles.map(({ path, text }) => {
    const name = basename(path);
    return { name, text, inputs: Object.keys(outputs.get(name)?.inputs ?? {}) };
  });
  const isFirst = ({ name }: BuiltFile) => name === FIRST;
  const modules = files.filter(({ name }) => name.endsWith('.mjs'));
  const atStart = startingWith(outputs);
  return {
    modules: modules.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a))),
    atStart: modules.filter(({ name }) => atStart.has(name)),
    sourceMaps: files.filter(({ name }) => name.endsWith('.map')),
    inputs: Object.keys(metafile.inputs),
  };
}

type Outputs = ReadonlyMap<string, Metafile['outputs'][string]>;

const byName = ({ outputs }: Metafile): Outputs =>
  new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));

/** The names of the first module and of all that it imports. */
function startingWith(outputs: Outputs): ReadonlySet<string> {
  const names = new Set([FIRST]);
  for (const name of names) {
    for (const { path, kind, external } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) names.add(basename(path));
    }
  }
  return names;
}

/**
 * Writes the Worker to Wrangler's path.
 *
 * @returns the path of the first module
 */
export function writeWorker({ modules, sourceMaps }: BuiltWorker): string {
  writeFiles(FOLDER, [...modules, ...sourceMaps]);
  return join(FOLDER, FIRST);
}
