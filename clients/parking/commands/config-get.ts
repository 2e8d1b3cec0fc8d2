import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';

export function configGetCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'get',
    {
      en: 'Print a municipality’s configuration as YAML, ready to be changed and put again.',
      it: 'Stampa la configurazione di un comune in YAML, pronta per essere modificata e rimessa.',
    },
    ['parking config get H501 > roma.yaml', 'parking config get H501 --json > roma.json'],
  )
    .argument(
      '[municipality]',
      office.say({
        en: 'its code (default: the profile’s)',
        it: 'il suo codice (predefinito: quello del profilo)',
      }),
    )
    .action(async (given) => {
      const { municipality_code } = office.municipality(given);
      if (municipality_code === undefined) {
        throw wrongUsage({ en: 'Say the municipality’s code.', it: 'Indicare il codice del comune.' });
      }
      const { configuration } = await office.answer(
        office.client.getConfiguration({ municipality_code }, office.call),
      );
      if (office.json) {
        office.terminal.json(configuration);
        return;
      }
      const { yamlText } = await import('../documents/yaml-text.ts');
      office.terminal.lines('stdout', yamlText(configuration));
    });
}
