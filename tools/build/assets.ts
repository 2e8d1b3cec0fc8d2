// Collects the files that the Worker serves as they are: `npm run build` runs it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { STYLES } from '../../src/public/pages/look.ts';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import { referencePage } from './reference-page.ts';
import { rulePage } from './rule-page.ts';

const root = new URL('../..', import.meta.url).pathname;

/** The assets' folder in wrangler.toml. */
const FOLDER = '.wrangler/assets';

const DESCRIPTION = join(root, 'src/serving/openapi/openapi.json');

/** Assets by their path: the sources of scripts and styles, and what makes the others. */
const ASSETS: Readonly<Record<string, string | (() => Uint8Array)>> = {
  ...Object.fromEntries(STYLES.map((name) => [`pages/${name}.css`, `src/public/pages/${name}.css`])),
  'pages/board.js': 'clients/pages/board.tsx',
  'pages/office.js': 'clients/pages/office.tsx',
  'pages/office-import.js': 'clients/pages/office-import.ts',
  'pages/copy.js': 'clients/pages/copy.ts',
  'pages/live.js': 'clients/pages/live.ts',
  'widget/v1.js': 'clients/pages/widget.ts',
  'openapi.json': () => readFileSync(DESCRIPTION),
  'docs.html': () => referencePage(JSON.parse(readFileSync(DESCRIPTION, 'utf8'))),
  ...Object.fromEntries(RULE_PAGES.map((path) => [`${path.slice(1)}.html`, () => rulePage(path)])),
};

/** Makes the assets that are missing or out of date, without disturbing a service that runs from the others. */
export function collectAssets(): void {
  for (const [name, source] of Object.entries(ASSETS)) {
    const to = join(root, FOLDER, name);
    const bytes = typeof source === 'string' ? bundled(source) : source();
    if (!existsSync(to) || !readFileSync(to).equals(bytes)) {
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, bytes);
    }
  }
}

/** A style, or a script as one module that imports nothing. */
function bundled(source: string): Uint8Array {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, source)],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx/dom',
    minify: true,
    target: 'es2022',
    write: false,
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}

if (import.meta.main) collectAssets();
