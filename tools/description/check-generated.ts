// Fails when a generated file is out of date: `npm run generate` updates it.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { printError } from '../print.ts';
import { DESCRIPTION, makeDescription } from './description.ts';

const committed = JSON.stringify(JSON.parse(readFileSync(DESCRIPTION, 'utf8')));
const outOfDate = [
  ...(migrationsAreCurrent() ? [] : ['migrations']),
  ...(committed === (await makeDescription()) ? [] : [DESCRIPTION]),
];
if (outOfDate.length > 0) {
  printError(`Out of date: ${outOfDate.join(', ')}. Run \`npm run generate\` and commit what it makes.`);
  process.exitCode = 1;
}

/** Whether drizzle-kit finds nothing to do for the schema. */
function migrationsAreCurrent(): boolean {
  // Below the project, since drizzle-kit takes no absolute path for its output.
  const copy = mkdtempSync(resolve('node_modules', '.migrations-'));
  try {
    cpSync('migrations', copy, { recursive: true });
    execFileSync('drizzle-kit', [
      ...['generate', '--dialect=sqlite', '--schema=src/storage/db/schema/*.ts'],
      `--out=${relative('.', copy)}`,
    ]);
    const sqlFiles = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.sql'));
    return sqlFiles(copy).length === sqlFiles('migrations').length;
  } finally {
    rmSync(copy, { recursive: true });
  }
}
