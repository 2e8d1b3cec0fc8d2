import { type AnyCommand, commandOf, MUNICIPALITY } from '../command.ts';
import type { Office } from '../office.ts';
import { wrongUsage } from '../stop.ts';

export function sourcesCommand(office: Office): AnyCommand {
  return commandOf(
    office,
    'sources',
    {
      en: 'Show how late each source usually reports. A patrol waits that long before it trusts the silence of a source.',
      it: 'Mostra con quale ritardo trasmette di solito ogni sorgente. Una pattuglia aspetta altrettanto prima di fidarsi del silenzio di una sorgente.',
    },
    ['parking sources --municipality H501', 'parking sources --json'],
  )
    .option('-m, --municipality <code>', office.say(MUNICIPALITY))
    .action(async ({ municipality }) => {
      const { municipality_code } = office.municipality(municipality);
      if (municipality_code === undefined) {
        throw wrongUsage({
          en: 'Say the municipality: --municipality CODE.',
          it: 'Indicare il comune: --municipality CODICE.',
        });
      }
      const { sources } = await office.answer(
        office.client.getSourceLateness({ municipality_code }, office.call),
      );
      const { terminal, json, language } = office;
      if (json) {
        terminal.json(sources);
        return;
      }
      const { latenessLines } = await import('../views/lateness.ts');
      for (const line of latenessLines(sources, language, terminal.paint)) terminal.data(line);
    });
}
