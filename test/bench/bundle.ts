import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { V4ModuleDefinition } from 'miniflare';
import { type BuiltWorker, buildWorker } from '../../tools/build/worker.ts';

export const root = new URL('../..', import.meta.url).pathname;

/** As the deployment says. */
export const compatibilityDate =
  /^compatibility_date = "(.+)"$/m.exec(readFileSync(`${root}wrangler.toml`, 'utf8'))?.[1] ?? '';

let service: Promise<BuiltWorker> | undefined;

/** The service as `npm run deploy` uploads it. */
export function builtService(): Promise<BuiltWorker> {
  service ??= buildWorker();
  return service;
}

/** What modules weigh, each compressed by itself. */
export const kibOf = (modules: readonly { readonly text: string }[]): number =>
  modules.reduce((sum, { text }) => sum + gzipSync(text).byteLength, 0) / 1_024;

/** Its modules, for Miniflare. */
export const serviceModules = async (): Promise<V4ModuleDefinition[]> =>
  (await builtService()).modules.map(({ name, text }) => ({ type: 'ESModule', path: name, contents: text }));

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
