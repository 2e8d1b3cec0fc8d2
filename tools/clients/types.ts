import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { clientOperations } from './operations-table.ts';

const root = new URL('../..', import.meta.url).pathname;
const description = join(root, 'src/serving/openapi/openapi.json');
const types = join(root, 'clients/types/schema.ts');
const operations = join(root, 'clients/types/operations.ts');

/**
 * Makes what the clients take from the description: their types, and the table of operations. Does nothing
 * while both are newer than what they are made from.
 */
export function makeClientTypes(): void {
  const sources = [description, join(root, 'tools/clients/operations-table.ts')];
  const newest = Math.max(...sources.map((file) => statSync(file).mtimeMs));
  if ([types, operations].every((file) => existsSync(file) && statSync(file).mtimeMs > newest)) return;
  mkdirSync(dirname(types), { recursive: true });
  execFileSync(
    process.execPath,
    [typeGenerator(), description, '--output', types, '--default-non-nullable=false'],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  writeFileSync(operations, clientOperations(readFileSync(description, 'utf8')));
}

/** openapi-typescript, which has a TypeScript of its own. */
function typeGenerator(): string {
  const require = createRequire(join(root, 'tools/description/client-generator/package.json'));
  return join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');
}
