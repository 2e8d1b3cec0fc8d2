import { type AnyCommand, commandOf, MUNICIPALITY, Option, wholeNumber } from '../command.ts';
import type { Office } from '../office.ts';

export function reportCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'report',
    {
      en: 'Show how full streets and car parks are: now, in 30 and in 60 minutes.',
      it: 'Mostra quanto sono pieni strade e parcheggi: ora, tra 30 e tra 60 minuti.',
    },
    [
      'parking report --watch',
      'parking report --type street --municipality H501',
      'parking report --watch --json',
    ],
  )
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .addOption(
      new Option('-t, --type <type>', say({ en: 'streets or car parks', it: 'strade o parcheggi' }))
        .choices(['street', 'facility'] as const)
        .default('facility' as const),
    )
    .option(
      '--source-id <id>',
      say({
        en: 'show the counts of this source next to those of all',
        it: 'mostra i conteggi di questa sorgente accanto a quelli di tutte',
      }),
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option(
      '-w, --watch',
      say({ en: 'stay, and follow what changes', it: 'resta aperto e segue i cambiamenti' }),
    )
    .action(async ({ municipality, type, sourceId, watch }) => {
      const { showReport, watchReport } = await import('../views/watch-report.ts');
      const input = {
        ...office.municipality(municipality),
        area_type: type,
        ...(sourceId !== undefined && { source_id: sourceId }),
      };
      await (watch ? watchReport(office, input) : showReport(office, input));
    });
}
