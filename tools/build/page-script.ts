import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

const folder = fileURLToPath(new URL('../../clients/pages', import.meta.url));

/**
 * A script of the service's own pages as one module that imports nothing.
 *
 * @throws Error when it cannot be bundled
 */
export function pageScript(name: string): Uint8Array {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, name)],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx/dom',
    minify: true,
    target: 'es2022',
    write: false,
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('the bundler wrote no script');
  return script.contents;
}

/** A style of the pages, without what only its readers here need. */
export function pageStyle(name: string): Uint8Array {
  const style = readFileSync(join(folder, '../../src/public/pages', name), 'utf8');
  return new TextEncoder().encode(
    transformSync(style, { loader: 'css', minify: true, target: 'esnext' }).code,
  );
}
