// Lints the description: Redocly's recommended rules, and Spectral's for OpenAPI and of OWASP.

import { spawnSync } from 'node:child_process';
import { takeNoArguments } from '../command-line.ts';
import { printError } from '../print.ts';
import { DESCRIPTION } from './contract.ts';

takeNoArguments('npm run check:description: lints the description');

const LINTERS: readonly (readonly [command: string, ...parameters: string[]])[] = [
  ['redocly', 'lint', DESCRIPTION, '--config', 'tools/description/redocly.yaml'],
  [
    'spectral',
    'lint',
    DESCRIPTION,
    '--ruleset',
    'tools/description/spectral.yaml',
    '--fail-severity',
    'warn',
  ],
];

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

for (const [command, ...parameters] of LINTERS) {
  const { status, stdout, stderr } = spawnSync(command, parameters, { encoding: 'utf8', env });
  if (status !== 0) {
    printError(`${command}:\n${stdout}${stderr}`);
    process.exitCode = 1;
  }
}
