import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { clientOperations } from './client-operations.ts';

/** A generated and committed file: regenerate it when you change its sources. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

export const DESCRIPTION = 'src/serving/openapi/openapi.json';
const CLIENT_TYPES = 'clients/types/schema.ts';
const CLIENT_OPERATIONS = 'clients/types/operations.ts';

/** The description of the service, from the schemas that it validates with; and a client's types and table, from that. */
export function makeContract(): readonly GeneratedFile[] {
  const description = execFileSync(process.execPath, ['tools/description/document/print.ts'], {
    encoding: 'utf8',
  });
  return [
    { path: DESCRIPTION, text: description },
    { path: CLIENT_TYPES, text: clientTypes(description) },
    { path: CLIENT_OPERATIONS, text: clientOperations(description) },
  ];
}

/** The output of openapi-typescript, which has a TypeScript of its own. */
function clientTypes(description: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-'));
  try {
    const [from, to] = [join(folder, 'openapi.json'), join(folder, 'schema.ts')];
    writeFileSync(from, description);
    execFileSync(process.execPath, [generator(), from, '--output', to, '--default-non-nullable=false'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return readFileSync(to, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function generator(): string {
  const require = createRequire(new URL('./client-generator/package.json', import.meta.url));
  return join(dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');
}
