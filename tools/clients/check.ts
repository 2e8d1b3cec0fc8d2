// Checks the packed clients: `exports`, declarations and other common mistakes of packages.

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
  const [client, command] = [buildClient(folder).tarball, buildParking(folder).tarball];
  for (const tarball of [client, command]) check('publint', 'run', tarball, '--strict');
  // The client is for ES modules alone; the command exports nothing.
  check('attw', client, '--profile', 'esm-only', '--no-color');
} finally {
  rmSync(folder, { recursive: true });
}

function check(command: string, ...parameters: string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, { encoding: 'utf8' });
  if (status === 0) return;
  printError(`${command} ${parameters.join(' ')}:\n${error?.message ?? `${stdout}${stderr}`}`);
  process.exitCode = 1;
}
