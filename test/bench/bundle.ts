import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import type { V4ModuleDefinition } from 'miniflare';

export const root = new URL('../..', import.meta.url).pathname;

/** The module that is started. */
const FIRST = 'worker.mjs';

/** As the deployment says. */
export const compatibilityDate =
  /^compatibility_date = "(.+)"$/m.exec(readFileSync(`${root}wrangler.toml`, 'utf8'))?.[1] ?? '';

/** A module of the service as it is built. */
interface BuiltModule {
  readonly name: string;
  readonly text: string;
  /** The files that it is made of. */
  readonly inputs: readonly string[];
  /** The modules that it imports at once. */
  readonly imports: readonly string[];
}

interface BuiltService {
  /** The first one first. */
  readonly modules: readonly BuiltModule[];
  /** The modules that an isolate starts with: the first, and its imports. The others are loaded when they are needed. */
  readonly atStart: readonly BuiltModule[];
}

/** The service as `npm run build` has made it, and `npm run deploy` uploads it. */
export function builtService(): BuiltService {
  const { outputs }: Metafile = JSON.parse(readFileSync(`${root}.wrangler/built.json`, 'utf8'));
  const modules = Object.entries(outputs)
    .filter(([path]) => path.endsWith('.mjs'))
    .map(([path, { inputs, imports }]) => ({
      name: basename(path),
      text: readFileSync(root + path, 'utf8'),
      inputs: Object.keys(inputs),
      imports: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path)),
    }))
    .sort((a, b) => Number(b.name === FIRST) - Number(a.name === FIRST));
  const reached = new Set([FIRST]);
  for (const name of reached) {
    for (const imported of modules.find((module) => module.name === name)?.imports ?? [])
      reached.add(imported);
  }
  return { modules, atStart: modules.filter(({ name }) => reached.has(name)) };
}

/** What modules weigh, each compressed by itself. */
export const kibOf = (modules: readonly BuiltModule[]): number =>
  modules.reduce((sum, { text }) => sum + gzipSync(text).byteLength, 0) / 1_024;

/** Its modules, for Miniflare. */
export const serviceModules = (): V4ModuleDefinition[] =>
  builtService().modules.map(({ name, text }) => ({ type: 'ESModule', path: name, contents: text }));

const bundles = new Map<string, Promise<string>>();

/** A Worker of the bench as one module, minified as the service is. */
export function bundled(entry: string): Promise<string> {
  const bundle = bundles.get(entry) ?? bundleOf(entry);
  bundles.set(entry, bundle);
  return bundle;
}

async function bundleOf(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [root + entry],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    external: ['cloudflare:*'],
    conditions: ['workerd', 'worker', 'browser'],
  });
  const [file] = outputFiles;
  if (file === undefined) {
    throw new Error(`${entry} has no bundle`);
  }
  return file.text;
}
