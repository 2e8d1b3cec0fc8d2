import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { shellWord } from '../../clients/parking/shell-word.ts';
import { commandsOf, curlOf, outcomeOf } from './demo/commands.ts';
import { TROUBLED_CITY } from './demo/configuration.ts';
import { DEMO_CREDENTIALS, tokensFile } from './demo/credentials.ts';
import type { Demonstration } from './demo/load.ts';
import { SHOWCASE_CITY } from './demo/showcase.ts';
import type { Options } from './options.ts';

/** The lines of every start: the service's address, and how to stop it. */
export function addressLines(address: string): string[] {
  return [
    '',
    `The service answers on ${address} (Ctrl-C stops it).`,
    `Its operations are explained on ${address}/docs`,
    'The administrator presents ADMIN_TOKEN: from the environment, else from .dev.vars.',
  ];
}

/** The pages of the demonstration, its credentials, and some of its commands, which are all in a file. */
export function demonstrationLines(
  address: string,
  { tokens, askedAt, soldAt }: Demonstration,
  { stateDir }: Options,
): string[] {
  const commands = commandsOf(askedAt, soldAt).map((command, index) => ({
    isPrinted: command.isPrinted ?? false,
    lines: [
      `# ${index + 1}. ${command.title}`,
      curlOf(command, address, tokens),
      `# → ${outcomeOf(command)}`,
      '',
    ],
  }));
  const printed = commands.filter(({ isPrinted }) => isPrinted);
  // All other lines are comments, so that the whole file can be pasted. It contains tokens.
  const file = join(stateDir, 'commands.sh');
  writeFileSync(file, commands.flatMap(({ lines }) => lines).join('\n'), { mode: 0o600 });
  return [
    `All cities: ${address}/   Torino: ${address}/cities/${SHOWCASE_CITY}`,
    `Bologna, where one source is silent and one fails on purpose: ${address}/cities/${TROUBLED_CITY}`,
    `The control room, for the credential of the widget below: ${address}/board`,
    '',
    `Demonstration credentials (kept in ${shortPath(tokensFile(stateDir))}):`,
    `  ${DEMO_CREDENTIALS.barrier.name}: ${tokens.barrier}`,
    `  ${DEMO_CREDENTIALS.meter.name}: ${tokens.meter}`,
    `  ${DEMO_CREDENTIALS.widget.name}: ${tokens.widget}`,
    `  ${DEMO_CREDENTIALS.clerk.name}: ${tokens.clerk}`,
    `  ${DEMO_CREDENTIALS.office.name}, which also administers its tenant: ${tokens.office}`,
    '',
    'In another terminal: npm run gate, a gate that keeps working when you stop the service here.',
    '',
    ...printed.flatMap(({ lines }) => lines),
    `${commands.length - printed.length} more commands to paste, each with what it will answer: less ${shellWord(shortPath(file))}`,
    '',
  ];
}

/**
 * How to try the command `parking`, in another terminal.
 *
 * @param profiles the file of its profile
 */
export function commandLines(profiles: string): string[] {
  const command = `PARKING_PROFILES=${shellWord(shortPath(profiles))} npx parking`;
  return [
    'The command for operators, in another terminal:',
    `  ${command} report --watch`,
    `  ${command} --help`,
    '',
  ];
}

/** As seen from here, unless that leads outside. */
function shortPath(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') ? path : fromHere;
}
