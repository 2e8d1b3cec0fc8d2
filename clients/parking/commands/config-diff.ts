import { type AnyCommand, commandOf } from '../command.ts';
import type { Office } from '../office.ts';

export function configDiffCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'diff',
    {
      en: 'Show what a document would change: new items, and old and new values. It only compares.',
      it: 'Mostra che cosa cambierebbe un documento: ciò che è nuovo, e ciò che cambia, da quale valore a quale. Nulla viene scritto.',
    },
    ['parking config diff roma.yaml', 'parking config diff roma.json --json'],
  )
    .argument(
      '<file>',
      office.say({ en: 'YAML or JSON; - is standard input', it: 'YAML o JSON; - è lo standard input' }),
    )
    .action(async (name) => {
      const { compareFile } = await import('../documents/compare-file.ts');
      const { differenceLines } = await import('../documents/diff-text.ts');
      const { difference } = await compareFile(office, name);
      const { terminal, language, json } = office;
      if (json) {
        terminal.json(difference);
        return;
      }
      const paint = terminal.paint;
      for (const line of differenceLines(difference, language, paint)) terminal.data(line);
    });
}
