import { type AnyCommand, AREA, commandOf, MUNICIPALITY, Option, PLATE } from '../command.ts';
import type { Office } from '../office.ts';
import { EVENTS } from '../wire-names.ts';

export function evidenceCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'evidence',
    {
      en: 'For an objection: the facts of a plate when the officer asked, next to those of now.',
      it: 'Per un ricorso: che cosa si sapeva di una targa al momento del controllo, accanto a ciò che si sa ora.',
    },
    [
      'parking evidence AB123CD --at "07/03/2026 17:44" --area S1',
      'parking evidence AB123CD --at "07/03/2026 17:44" --area S1 --report ricorso.html',
      'parking evidence AB123CD --at 2026-03-07T17:44:00+01:00 --known-at 2026-03-08T09:00:00+01:00 --json',
    ],
  )
    .argument('<plate>', say(PLATE))
    .requiredOption('--at <time>', say({ en: 'the instant in question', it: 'l’istante in questione' }))
    .option(
      '--known-at <time>',
      say({
        en: 'by the facts of that instant (default: --at)',
        it: 'secondo ciò che si sapeva allora (predefinito: --at)',
      }),
    )
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-a, --area <code>', say(AREA))
    .addOption(
      new Option(
        '-e, --event <event>',
        say({ en: 'what happened at the gate', it: 'che cosa è avvenuto al varco' }),
      ).choices(EVENTS),
    )
    .option(
      '--report <file>',
      say({
        en: 'write a page for the case file (HTML, prints on A4; mode 600)',
        it: 'scrive una pagina per il fascicolo (HTML, da stampare in A4; modo 600)',
      }),
    )
    .action(async (plate, { at, knownAt, municipality, area, event, report }) => {
      const { askedInstant } = await import('../time/asked-time.ts');
      const { evidenceLines } = await import('../views/evidence.ts');
      const input = {
        plate,
        at: await askedInstant(office, at, municipality),
        ...(knownAt !== undefined && { known_at: await askedInstant(office, knownAt, municipality) }),
        ...office.municipality(municipality),
        ...(area !== undefined && { area_code: area }),
        ...(event !== undefined && { event }),
      };
      const { terminal, json, language } = office;
      const answer = await office.answer(office.client.searchEvidence(input, office.call));
      if (report !== undefined) {
        const { reserve } = await import('../plates/export-plate.ts');
        const { evidencePage } = await import('../views/evidence-page.ts');
        reserve(report, evidencePage(answer, language));
        office.note({ en: `The page is in ${report}.`, it: `La pagina è in ${report}.` });
      }
      if (json) terminal.json(answer);
      else for (const line of evidenceLines(answer, language, terminal.paint)) terminal.data(line);
    });
}
