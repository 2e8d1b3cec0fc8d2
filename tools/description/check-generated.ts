// Fails when a generated file is out of date: `npm run generate` updates it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { takeNoArguments } from '../command-line.ts';
import { printError } from '../print.ts';
import { DESCRIPTION, makeDescription } from './contract.ts';

takeNoArguments('npm run check:generated: fails where a generated file is out of date');

const outOfDate = [
  ...(migrationsAreCurrent() ? [] : ['migrations']),
  ...(readFileSync(DESCRIPTION, 'utf8') === makeDescription() ? [] : [DESCRIPTION]),
];
if (outOfDate.length > 0) {
  printError(`Out of date: ${outOfDate.join(', ')}. Run \`npm run generate\` and commit what it makes.`);
  process.exitCode = 1;
}

/** Whether drizzle-kit finds nothing to do for the schema. */
function migrationsAreCurrent(): boolean {
  const migrations = 'migrations';
  // Below the project, since drizzle-kit takes no absolute path for its output.
  const copy = mkdtempSync(resolve('node_modules', '.migrations-'));
  const sqlFiles = (folder: string): number =>
    readdirSync(folder).filter((name) => name.endsWith('.sql')).length;
  try {
    cpSync(migrations, copy, { recursive: true });
    const { status, stdout, stderr } = spawnSync(
      'drizzle-kit',
      ['generate', '--dialect=sqlite', '--schema=src/storage/db/schema/*.ts', `--out=${relative('.', copy)}`],
      { encoding: 'utf8' },
    );
    if (status !== 0) {
      throw new Error(`drizzle-kit failed:\n${stdout}${stderr}`);
    }
    return sqlFiles(copy) === sqlFiles(migrations);
  } finally {
    rmSync(copy, { recursive: true });
  }
}
