// Fails when the migrations are not what drizzle-kit makes of the schema: `npm run generate` brings them up to date.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const migrations = 'migrations';
// Below the project, since drizzle-kit takes no absolute path for its output.
const copy = mkdtempSync(resolve('node_modules', '.migrations-'));
const sqlFiles = (folder: string): number =>
  readdirSync(folder).filter((name) => name.endsWith('.sql')).length;

try {
  cpSync(migrations, copy, { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    'drizzle-kit',
    ['generate', '--dialect=sqlite', '--schema=src/db/schema/*.ts', `--out=${relative('.', copy)}`],
    { encoding: 'utf8' },
  );
  if (status !== 0) {
    throw new Error(`drizzle-kit failed:\n${stdout}${stderr}`);
  }
  if (sqlFiles(copy) !== sqlFiles(migrations)) {
    console.error('The migrations are out of date: run `npm run generate` and commit what it makes.');
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true });
}
