import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

const folder = fileURLToPath(new URL('../../clients/widget', import.meta.url));

/** The licence of the bundled library, which has to be included. */
const NOTICE =
  '/*! Parking occupancy. Contains Lit (https://lit.dev), Copyright Google LLC, BSD-3-Clause. */';

/**
 * The widget as one script, an ES module that imports nothing.
 *
 * @throws Error when it cannot be bundled
 */
export function widgetBundle(): Uint8Array {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, 'v1.ts')],
    bundle: true,
    format: 'esm',
    minify: true,
    target: 'es2022',
    legalComments: 'none',
    banner: { js: NOTICE },
    define: { WIDGET_CSS: JSON.stringify(styles()) },
    write: false,
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('the bundler wrote no script');
  return script.contents;
}

function styles(): string {
  const css = readFileSync(join(folder, 'widget.css'), 'utf8');
  return transformSync(css, { loader: 'css', minify: true, target: 'esnext' }).code.trim();
}
