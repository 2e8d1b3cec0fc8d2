// Collects the files that the Worker serves as they are: `npm run build` runs it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import { pageScript, pageStyle } from './page-script.ts';
import { rulePage } from './rule-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const reference = 'src/public/pages/reference';

/** The assets' folder in wrangler.toml. */
const FOLDER = '.wrangler/assets';

const copyOf = (path: string) => (): Uint8Array => readFileSync(path);

/** Assets by their path, each with its sources. */
const ASSETS: Readonly<Record<string, () => Uint8Array>> = {
  'openapi.json': copyOf(join(root, 'src/serving/openapi/openapi.json')),
  'pages/style.css': pageStyle,
  'pages/board.js': () => pageScript('board.ts'),
  'pages/live.js': () => pageScript('live.ts'),
  'docs/index.html': copyOf(join(root, reference, 'index.html')),
  'docs/docs.js': copyOf(join(root, reference, 'docs.js')),
  'docs/docs.css': copyOf(join(root, reference, 'docs.css')),
  'docs/rules.css': copyOf(join(root, reference, 'rules.css')),
  ...Object.fromEntries(RULE_PAGES.map((path) => [`${path.slice(1)}.html`, () => rulePage(path)])),
  'docs/swagger-ui-bundle.js': copyOf(join(swaggerUi, 'swagger-ui-bundle.js')),
  'docs/swagger-ui.css': copyOf(join(swaggerUi, 'swagger-ui.css')),
  'docs/favicon-32x32.png': copyOf(join(swaggerUi, 'favicon-32x32.png')),
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
