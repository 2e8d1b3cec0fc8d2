import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function configInitCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'init',
    {
      en: 'Print a small city as YAML with comments, to start a configuration from. No service is asked.',
      it: 'Stampa un piccolo comune in YAML con commenti, da cui partire. Nessun servizio viene interrogato.',
    },
    ['parking config init > roma.yaml'],
  ).action(async () => {
    const { STARTING_DOCUMENT } = await import('../documents/starting-document.ts');
    const text = office.say(STARTING_DOCUMENT);
    if (!office.json) {
      office.terminal.lines('stdout', text);
      return;
    }
    const { parse } = await import('yaml');
    office.terminal.json(parse(text));
  });
}
