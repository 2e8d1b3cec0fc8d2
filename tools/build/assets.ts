// Collects the files that the Worker serves as they are: `npm run build` runs it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import { pageScript, pageStyle } from './page-script.ts';
import { referencePage } from './reference-page.ts';
import { rulePage } from './rule-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The assets' folder in wrangler.toml. */
const FOLDER = '.wrangler/assets';

const description = join(root, 'src/serving/openapi/openapi.json');

/** Assets by their path, each with its sources. */
const ASSETS: Readonly<Record<string, () => Uint8Array>> = {
  'openapi.json': () => readFileSync(description),
  'pages/style.css': () => pageStyle('style.css'),
  'pages/work.css': () => pageStyle('work.css'),
  'pages/board.js': () => pageScript('board.ts'),
  'pages/office.js': () => pageScript('office.tsx'),
  'pages/office-import.js': () => pageScript('office-import.ts'),
  'pages/copy.js': () => pageScript('copy.ts'),
  'pages/live.js': () => pageScript('live.ts'),
  'docs/index.html': () => referencePage(JSON.parse(readFileSync(description, 'utf8'))),
  ...Object.fromEntries(RULE_PAGES.map((path) => [`${path.slice(1)}.html`, () => rulePage(path)])),
  'widget/v1.js': () => pageScript('widget.ts'),
};

/**
 * Makes the assets that are missing or out of date, without disturbing a service that runs from the others.
 */
export function collectAssets(): void {
  for (const [name, make] of Object.entries(ASSETS)) {
    const to = join(root, FOLDER, name);
    const bytes = make();
    if (!existsSync(to) || !readFileSync(to).equals(bytes)) {
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, bytes);
    }
  }
}

if (import.meta.main) collectAssets();
