// Checks the packed clients for common mistakes of packages.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeNoArguments } from '../command-line.ts';
import { printError } from '../print.ts';
import { buildClient } from './package.ts';
import { buildParking } from './parking.ts';

takeNoArguments('npm run check:clients: checks the packed clients');

const folder = mkdtempSync(join(tmpdir(), 'clients-'));
try {
  for (const tarball of [buildClient(folder).tarball, buildParking(folder).tarball]) check(tarball);
} finally {
  rmSync(folder, { recursive: true });
}

function check(tarball: string): void {
  const { status, stdout, stderr, error } = spawnSync('publint', ['run', tarball, '--strict'], {
    encoding: 'utf8',
  });
  if (status === 0) return;
  printError(`publint ${tarball}:\n${error?.message ?? `${stdout}${stderr}`}`);
  process.exitCode = 1;
}
