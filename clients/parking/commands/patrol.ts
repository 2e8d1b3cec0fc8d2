import { type AnyCommand, AREA, commandOf, MUNICIPALITY } from '../command.ts';
import type { Office } from '../office.ts';

export function patrolCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'patrol',
    {
      en: 'Say what may be concluded of vehicles that were seen. A line has a plate, and behind it an area and a time.',
      it: 'Dice che cosa si può concludere dei veicoli visti. Una riga ha una targa, poi un’area e un orario.',
    },
    ['parking patrol seen.csv --area S1', 'parking patrol seen.csv --watch --officer badge-0417'],
  )
    .argument(
      '<file>',
      say({ en: 'the file, or - for standard input', it: 'il file, o - per lo standard input' }),
    )
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-a, --area <code>', say(AREA))
    .option(
      '--officer <reference>',
      say({ en: 'who looks: a pseudonym', it: 'chi controlla: uno pseudonimo' }),
    )
    .option(
      '--encoding <name>',
      say({ en: 'of the file (default: found out)', it: 'del file (predefinita: riconosciuta)' }),
    )
    .option(
      '-w, --watch',
      say({
        en: 'stay, and ask again when it is time, until all is settled',
        it: 'resta aperto e richiede quando è il momento, finché tutto è risolto',
      }),
    )
    .action(async (file, { municipality, area, officer, encoding, watch }) => {
      const { readSightings } = await import('../patrol/read-sightings.ts');
      const { patrolOnce, watchPatrol } = await import('../patrol/watch.ts');
      const sightings = await readSightings(office, file, { area, municipality, encoding });
      await (watch ? watchPatrol : patrolOnce)(office, sightings, { municipality, officer });
    });
}
