import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function configPutCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'put',
    {
      en: 'Put a document, after showing what it changes and asking.',
      it: 'Scrive un documento, dopo aver mostrato che cosa cambia e chiesto conferma.',
    },
    ['parking config put roma.yaml', 'parking config put roma.yaml --yes --json'],
  )
    .argument(
      '<file>',
      office.say({ en: 'YAML or JSON; - is standard input', it: 'YAML o JSON; - è lo standard input' }),
    )
    .option('-y, --yes', office.say({ en: 'do not ask', it: 'non chiedere' }))
    .option(
      '--full',
      office.say({ en: 'show every item that it changes', it: 'mostra ogni elemento che cambia' }),
    )
    .action(async (name, options) => {
      const { putFile } = await import('../documents/put-file.ts');
      await putFile(office, name, options);
    });
}
