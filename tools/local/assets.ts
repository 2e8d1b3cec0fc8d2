import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const page = 'src/docs/page';

/** Where wrangler.toml says that the assets are. */
const FOLDER = '.wrangler/assets';

/** Assets by their path, each with the file that it is a copy of. */
const ASSETS: Readonly<Record<string, string>> = {
  'openapi.json': join(root, 'src/openapi/openapi.json'),
  'docs/index.html': join(root, page, 'index.html'),
  'docs/docs.js': join(root, page, 'docs.js'),
  'docs/docs.css': join(root, page, 'docs.css'),
  'docs/swagger-ui-bundle.js': join(swaggerUi, 'swagger-ui-bundle.js'),
  'docs/swagger-ui.css': join(swaggerUi, 'swagger-ui.css'),
  'docs/favicon-32x32.png': join(swaggerUi, 'favicon-32x32.png'),
};

/** Copies the assets that are missing or out of date; a service that runs from the others is not disturbed. */
export function collectAssets(): void {
  for (const [name, from] of Object.entries(ASSETS)) {
    const to = join(root, FOLDER, name);
    const bytes = readFileSync(from);
    if (!existsSync(to) || !readFileSync(to).equals(bytes)) {
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, bytes);
    }
  }
}
