// Writes the generated files: the migration of a changed schema, the description of the service, and the types of a client made from it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { takeNoArguments } from '../command-line.ts';
import { makeContract } from './contract.ts';

takeNoArguments(
  'npm run generate: makes the migration of a change in src/storage/db/schema, the description and the types of a client',
);

const { status } = spawnSync('drizzle-kit', ['generate'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
for (const { path, text } of makeContract()) {
  writeFileSync(path, text);
}
