import { relative } from 'node:path';
import { commandsOf, curlOf, outcomeOf } from './demo/commands.ts';
import { DEMO_CREDENTIALS, tokensFile } from './demo/credentials.ts';
import type { Demonstration } from './demo/load.ts';
import type { Options } from './options.ts';

/** What every start prints: where the service is, and how to stop it. */
export function addressLines(address: string): string[] {
  return [
    '',
    `The service answers on ${address} (Ctrl-C stops it).`,
    `Its operations are explained, and can be tried, on ${address}/docs`,
    'The administrator presents ADMIN_TOKEN: from the environment, else from .dev.vars.',
  ];
}

/** The demonstration's credentials and commands; what is no command is a comment, so that all of it can be pasted. */
export function demonstrationLines(
  address: string,
  { tokens, askedAt }: Demonstration,
  { stateDir }: Options,
): string[] {
  const commands = commandsOf(askedAt).flatMap((command, index) => [
    '',
    `# ${index + 1}. ${command.title}`,
    curlOf(command, address, tokens),
    `# → ${outcomeOf(command)}`,
  ]);
  return [
    '',
    `Demonstration credentials (kept in ${shortPath(tokensFile(stateDir))}):`,
    `  ${DEMO_CREDENTIALS.barrier.name}: ${tokens.barrier}`,
    `  ${DEMO_CREDENTIALS.meter.name}: ${tokens.meter}`,
    `  ${DEMO_CREDENTIALS.widget.name}: ${tokens.widget}`,
    `  ${DEMO_CREDENTIALS.clerk.name}: ${tokens.clerk}`,
    '',
    'Commands to paste, each with what it will answer:',
    ...commands,
    '',
  ];
}

/** As seen from here, unless that leads outside. */
function shortPath(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') ? path : fromHere;
}
