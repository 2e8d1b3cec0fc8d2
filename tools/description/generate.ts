// Writes the generated files: the migration of a changed schema, the description of the service, and the types of the clients made from it.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { makeClientTypes } from '../clients/types.ts';
import { readCommandLine } from '../command-line.ts';
import { DESCRIPTION, makeDescription } from './description.ts';

const USAGE = `npm run generate [-- --name what-it-is-for]: makes the migration of a change in src/storage/db/schema, the description and the types of the clients
  --name NAME   of the migration (change)`;

const { values } = readCommandLine(USAGE, { options: { name: { type: 'string', default: 'change' } } });
execFileSync('drizzle-kit', ['generate', '--name', values.name], { stdio: 'inherit' });
writeFileSync(DESCRIPTION, await makeDescription());
execFileSync('biome', ['format', '--write', DESCRIPTION]);
makeClientTypes();
