import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writeProfiles } from '../../clients/parking/profiles.ts';
import { shellWord } from '../../clients/parking/shell-word.ts';
import { commandsOf, scriptOf } from './demo/commands.ts';
import { TROUBLED_CITY } from './demo/configuration.ts';
import { DEMO_CREDENTIALS, tokensFile } from './demo/credentials.ts';
import type { Demonstration } from './demo/load.ts';
import { TORINO } from './demo/plates.ts';

const OWNER_ONLY = 0o600;

/** The lines of every start: the service's address, and how to stop it. */
export const addressLines = (address: string): string => `
The service answers on ${address} (Ctrl-C stops it).
Its operations are explained on ${address}/docs
The administrator presents ADMIN_TOKEN: from the environment, else from .dev.vars.`;

/**
 * The pages of the demonstration, its credentials, and some of its commands. Writes all commands, and a profile of the
 * command `parking`, next to its data: the user's own profiles stay as they are.
 */
export function demonstrationLines(
  address: string,
  { tokens, times }: Demonstration,
  stateDir: string,
): string {
  const commands = commandsOf(times).map((command, index) => ({
    isPrinted: command.isPrinted,
    script: scriptOf(command, index + 1, address, tokens),
  }));
  const printed = commands.filter(({ isPrinted }) => isPrinted).map(({ script }) => script);
  const file = join(stateDir, 'commands.sh');
  writeFileSync(file, commands.map(({ script }) => script).join('\n'), { mode: OWNER_ONLY });
  const profiles = join(stateDir, 'profiles.json');
  const demo = { url: address, access_token: tokens.office, municipality: TORINO };
  writeProfiles(profiles, { current: 'demo', profiles: { demo } });
  const parking = `PARKING_PROFILES=${shellWord(shortPath(profiles))} npx parking`;
  const { barrier, meter, widget, clerk, office } = DEMO_CREDENTIALS;
  return `All cities: ${address}/   Torino: ${address}/cities/${TORINO}
Bologna, where one source is silent and one fails on purpose: ${address}/cities/${TROUBLED_CITY}
The control room, for the credential of the widget below: ${address}/board
The clerk's page, for the credential of the parking office below: ${address}/office

Demonstration credentials (kept in ${shortPath(tokensFile(stateDir))}):
  ${barrier.name}: ${tokens.barrier}
  ${meter.name}: ${tokens.meter}
  ${widget.name}: ${tokens.widget}
  ${clerk.name}: ${tokens.clerk}
  ${office.name}, which also administers its tenant: ${tokens.office}

In another terminal: npm run gate, a gate that keeps working when you stop the service here.

${printed.join('\n')}
${commands.length - printed.length} more commands to paste, each with what it will answer: less ${shellWord(shortPath(file))}

The command for operators, in another terminal:
  ${parking} report --watch
  ${parking} --help
`;
}

/** As seen from here, unless that leads outside. */
function shortPath(path: string): string {
  const fromHere = relative('.', path);
  return fromHere.startsWith('..') ? path : fromHere;
}
