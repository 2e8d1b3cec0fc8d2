import { Help } from '@commander-js/extra-typings';
import type { Text } from '../../src/base/text/text.ts';
import { type AnyCommand, Command, HELP } from './command.ts';
import { backupCommand } from './commands/backup.ts';
import { callCommand } from './commands/call.ts';
import { checkCommand } from './commands/check.ts';
import { configDiffCommand } from './commands/config-diff.ts';
import { configGetCommand } from './commands/config-get.ts';
import { configInitCommand } from './commands/config-init.ts';
import { configPutCommand } from './commands/config-put.ts';
import { credentialChangeCommand } from './commands/credential-change.ts';
import { credentialIssueCommand } from './commands/credential-issue.ts';
import { credentialListCommand } from './commands/credential-list.ts';
import { credentialRefreshCommand } from './commands/credential-refresh.ts';
import { credentialRevokeCommand } from './commands/credential-revoke.ts';
import { credentialRotateCommand } from './commands/credential-rotate.ts';
import { credentialShowCommand } from './commands/credential-show.ts';
import { evidenceCommand } from './commands/evidence.ts';
import { importSessionsCommand } from './commands/import-sessions.ts';
import { importSubscriptionsCommand } from './commands/import-subscriptions.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { optionsCommand } from './commands/options.ts';
import {
  paymentClosingCommand,
  paymentListCommand,
  paymentSettleCommand,
  paymentShowCommand,
} from './commands/payment.ts';
import { plateEraseCommand } from './commands/plate-erase.ts';
import { plateExportCommand } from './commands/plate-export.ts';
import { profilesCommand } from './commands/profiles.ts';
import { reportCommand } from './commands/report.ts';
import { restoreCommand } from './commands/restore.ts';
import { sessionEndCommand, sessionShowCommand } from './commands/session.ts';
import { statusCommand } from './commands/status.ts';
import {
  subscriptionAddCommand,
  subscriptionEndCommand,
  subscriptionRenewCommand,
  subscriptionShowCommand,
} from './commands/subscription.ts';
import type { Office } from './office.ts';
import { inItalianWords, italianName } from './placeholders.ts';
import { VERSION } from './version.ts';

type Make = (office: Office) => AnyCommand;

interface Group {
  readonly name: string;
  readonly words: Text;
  readonly commands: readonly Make[];
}

const GROUPS: readonly Group[] = [
  {
    name: 'config',
    words: {
      en: 'The configuration: start one, read, compare, put.',
      it: 'La configurazione: iniziarla, leggere, confrontare, scrivere.',
    },
    commands: [configInitCommand, configGetCommand, configDiffCommand, configPutCommand],
  },
  {
    name: 'credential',
    words: {
      en: 'Credentials: issue, show, change, rotate, revoke, refresh.',
      it: 'Credenziali: emettere, mostrare, modificare, ruotare, revocare, riscrivere.',
    },
    commands: [
      credentialIssueCommand,
      credentialListCommand,
      credentialShowCommand,
      credentialChangeCommand,
      credentialRotateCommand,
      credentialRevokeCommand,
      credentialRefreshCommand,
    ],
  },
  {
    name: 'import',
    words: {
      en: 'Import sessions and subscriptions from files.',
      it: 'Importare soste e abbonamenti da file.',
    },
    commands: [importSessionsCommand, importSubscriptionsCommand],
  },
  {
    name: 'session',
    words: {
      en: 'One session: show it, end it.',
      it: 'Una sosta: mostrare ciò che è salvato, terminarla.',
    },
    commands: [sessionShowCommand, sessionEndCommand],
  },
  {
    name: 'subscription',
    words: {
      en: 'One subscription: show it, add one, renew it, end it.',
      it: 'Un abbonamento: mostrarlo, aggiungerne uno, rinnovarlo, terminarlo.',
    },
    commands: [
      subscriptionShowCommand,
      subscriptionAddCommand,
      subscriptionRenewCommand,
      subscriptionEndCommand,
    ],
  },
  {
    name: 'payment',
    words: {
      en: 'Payments of subscriptions: list, show, settle, close a day.',
      it: 'Pagamenti degli abbonamenti: elencarli, mostrarli, definirli, chiudere un giorno.',
    },
    commands: [paymentListCommand, paymentShowCommand, paymentSettleCommand, paymentClosingCommand],
  },
  {
    name: 'plate',
    words: {
      en: 'A person’s rights: export and erase a plate.',
      it: 'I diritti delle persone: esportare e cancellare una targa.',
    },
    commands: [plateExportCommand, plateEraseCommand],
  },
];

const SINGLE: readonly Make[] = [
  checkCommand,
  optionsCommand,
  reportCommand,
  statusCommand,
  evidenceCommand,
  callCommand,
  backupCommand,
  restoreCommand,
  loginCommand,
  logoutCommand,
  profilesCommand,
];

/** Every command, in the words of the user's language. */
export function programOf(office: Office): AnyCommand {
  const say = office.say.bind(office);
  const program = new Command('parking')
    .description(
      say({
        en: 'The parking office: configuration, credentials, imports, checks and reports of a parking entitlement service.',
        it: 'L’ufficio sosta: configurazione, credenziali, importazioni, verifiche e report di un servizio di titoli di sosta.',
      }),
    )
    .version(VERSION, '--version', say({ en: 'print the version', it: 'stampa la versione' }))
    .helpOption('-h, --help', say(HELP))
    .helpCommand(
      'help [command]',
      say({ en: 'Show the help of a command.', it: 'Mostra l’aiuto di un comando.' }),
    )
    .option('--json', say({ en: 'data as JSON', it: 'dati in JSON' }))
    .option('--profile <name>', say({ en: 'the profile to use', it: 'il profilo da usare' }))
    .addHelpText('after', `\n${say(EXIT_CODES)}`);
  for (const { name, words, commands } of GROUPS) {
    const group = new Command(name)
      .description(say(words))
      .helpOption('-h, --help', say(HELP))
      .helpCommand(false);
    for (const make of commands) group.addCommand(make(office));
    program.addCommand(group);
  }
  for (const make of SINGLE) program.addCommand(make(office));
  for (const command of all(program)) shape(command, office);
  program.hook('preAction', (_, action) => office.begin(action.optsWithGlobals()));
  return program;
}

const EXIT_CODES: Text = {
  en: `Data goes to standard output, everything else to standard error.
Exit codes: 0 done, 1 refused, 2 wrong usage, 3 unavailable (try again),
130 stopped by Ctrl-C.
PARKING_URL and PARKING_TOKEN win over the profile.`,
  it: `I dati vanno allo standard output, tutto il resto allo standard error.
Codici di uscita: 0 fatto, 1 rifiutato, 2 uso errato, 3 non disponibile
(riprovare), 130 interrotto con Ctrl-C.
PARKING_URL e PARKING_TOKEN prevalgono sul profilo.`,
};

/** Titles of the help in the user's language; the caller of the program prints errors. */
function shape(command: AnyCommand, office: Office): void {
  command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => office.terminal.lines('stdout', text),
      writeErr: (text) => office.terminal.lines('stderr', text),
      outputError: () => {},
    })
    .configureHelp({
      showGlobalOptions: true,
      helpWidth: Math.min(office.terminal.columns, 110),
      commandUsage: (command) => valuesIn(new Help().commandUsage(command), office),
      subcommandTerm: (command) => valuesIn(new Help().subcommandTerm(command), office),
      optionTerm: (option) => valuesIn(new Help().optionTerm(option), office),
      argumentTerm: (argument) => (office.language === 'it' ? italianName(argument.name()) : argument.name()),
      argumentDescription: (argument) => inItalian(new Help().argumentDescription(argument), office),
      optionDescription: (option) =>
        inItalian(new Help().optionDescription(option), office) +
        (option.mandatory ? ` (${office.say(REQUIRED)})` : ''),
      styleTitle: (title) =>
        office.terminal.paint('bold', office.language === 'it' ? (TITLES[title] ?? title) : title),
    });
}

const valuesIn = (usage: string, { language }: Office): string =>
  language === 'it' ? inItalianWords(usage) : usage;

/** What the parser adds to an option's words. */
const inItalian = (words: string, { language }: Office): string =>
  language === 'it'
    ? words.replace('(choices: ', '(valori: ').replace(/([(, ])default: /, '$1predefinito: ')
    : words;

const REQUIRED: Text = { en: 'required', it: 'obbligatoria' };

const TITLES: Readonly<Record<string, string>> = {
  'Usage:': 'Uso:',
  'Arguments:': 'Argomenti:',
  'Options:': 'Opzioni:',
  'Global Options:': 'Opzioni generali:',
  'Commands:': 'Comandi:',
};

const all = (command: AnyCommand): AnyCommand[] => [command, ...command.commands.flatMap(all)];
