import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { withoutWords } from './words.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where wrangler.toml says that the Worker is. */
const BUILT = '.wrangler/built/worker.js';

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
 * Builds the Worker as one module, without the words of the description. Wrangler bundles that once more: it minifies
 * it, and adds what `wrangler dev` needs.
 *
 * @returns the files that the module is made of
 * @throws Error when it cannot be built
 */
export async function buildWorker(outfile = BUILT): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/worker.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'browser'],
    sourcemap: 'inline',
    metafile: true,
    logLevel: 'silent',
    plugins: [leaveWordsBehind],
  });
  return Object.keys(metafile.inputs);
}
