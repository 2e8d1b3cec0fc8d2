// Writes the generated files: the migration of a changed schema, the description of the service, and the types of the clients made from it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { makeClientTypes } from '../clients/types.ts';
import { readCommandLine } from '../command-line.ts';
import { DESCRIPTION, makeDescription } from './contract.ts';

const USAGE = `npm run generate [-- --name what-it-is-for]: makes the migration of a change in src/storage/db/schema, the description and the types of the clients
  --name NAME   of the migration (change)`;

const { values } = readCommandLine(USAGE, { options: { name: { type: 'string', default: 'change' } } });
const { status } = spawnSync('drizzle-kit', ['generate', '--name', values.name], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
writeFileSync(DESCRIPTION, makeDescription());
makeClientTypes();
