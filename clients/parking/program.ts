import { type AnyCommand, commandOf, groupOf } from './command.ts';
import { backupCommand } from './commands/backup.ts';
import { callCommand, checkCommand, optionsCommand, statusCommand } from './commands/check.ts';
import { configCommands } from './commands/config.ts';
import { credentialCommands } from './commands/credential.ts';
import { evidenceCommand } from './commands/evidence.ts';
import { importCommand } from './commands/import.ts';
import { loginCommand, logoutCommand, profilesCommand } from './commands/login.ts';
import { paymentCommands } from './commands/payment.ts';
import { eraseCommand, exportCommand } from './commands/plate.ts';
import { reportCommand } from './commands/report.ts';
import { restoreCommand } from './commands/restore.ts';
import type { Office } from './office.ts';
import { VERSION } from './version.ts';

const AFTER_HELP = `
Data goes to standard output, everything else to standard error.
Exit codes: 0 done, 1 refused, 2 wrong usage, 3 unavailable (try again),
130 stopped by Ctrl-C.
PARKING_URL and PARKING_TOKEN win over the profile.`;

/** Every command. */
export function programOf(office: Office): AnyCommand {
  const program: AnyCommand = commandOf(
    'parking',
    'For operators and importers of a parking entitlement service: configuration, credentials, imports, checks and reports.',
  )
    .version(VERSION, '--version')
    .option('--json', 'the answer as JSON')
    .option('--profile <name>', 'the profile to use')
    .addHelpText('after', AFTER_HELP);
  const commands = [
    groupOf('config', 'The configuration: read, compare, put.', configCommands(office)),
    groupOf(
      'credential',
      'Credentials: issue, show, change, rotate, revoke, refresh.',
      credentialCommands(office),
    ),
    groupOf('import', 'Import sessions and subscriptions from files.', [
      importCommand(office, 'sessions'),
      importCommand(office, 'subscriptions'),
    ]),
    groupOf('payment', 'Payments of subscriptions: list, show, settle.', paymentCommands(office)),
    groupOf('plate', 'A person’s rights: export and erase a plate.', [
      exportCommand(office),
      eraseCommand(office),
    ]),
    checkCommand(office),
    optionsCommand(office),
    reportCommand(office),
    statusCommand(office),
    evidenceCommand(office),
    callCommand(office),
    backupCommand(office),
    restoreCommand(office),
    loginCommand(office),
    logoutCommand(office),
    profilesCommand(office),
  ];
  for (const command of commands) program.addCommand(command);
  for (const command of [program, ...commands, ...commands.flatMap((group) => group.commands)]) {
    shape(command, office);
  }
  program.hook('preAction', (_, action) => office.begin(action.optsWithGlobals()));
  return program;
}

/** Help goes through the terminal; the caller of the program prints errors. */
function shape(command: AnyCommand, { terminal }: Office): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => terminal.text(text),
      writeErr: (text) => terminal.text(text, 'stderr'),
      outputError: () => {},
    })
    .configureHelp({ showGlobalOptions: true, helpWidth: Math.min(terminal.stdout.columns || 80, 110) });
}
