import {
  type AnyCommand,
  commandOf,
  groupOf,
  listed,
  municipalityOption,
  PLATE,
  yesOption,
} from '../command.ts';
import type { Office } from '../office.ts';
import { say } from './say.ts';

/** What a clerk does with one record, until the page `/office` does it. */
export function clerkCommands(office: Office): readonly AnyCommand[] {
  const SESSION = say(office, {
    en: 'One session: show it, end it. It takes an office’s token.',
    it: 'Una sosta: mostrare ciò che è salvato, terminarla. Richiede il token di un ufficio.',
  });
  const SUBSCRIPTION = say(office, {
    en: 'One subscription: show it, add one, renew it, end it. It takes an office’s token.',
    it: 'Un abbonamento: mostrarlo, aggiungerne uno, rinnovarlo, terminarlo. Richiede il token di un ufficio.',
  });
  const NUMBER = say(office, { en: 'its number', it: 'il suo numero' });
  const FROM = say(office, { en: 'when the paid period starts', it: 'inizio del periodo pagato' });
  const UNTIL = say(office, {
    en: 'when it ends; a date alone: with that day',
    it: 'quando finisce; una data sola: con quel giorno',
  });
  const AT = say(office, {
    en: 'when it ends (default: now)',
    it: 'quando finisce (predefinito: ora)',
  });
  return [
    groupOf('session', SESSION, [
      commandOf('show', SESSION, ['parking session show AB123CD --municipality H501'])
        .argument('<plate>', PLATE)
        .addOption(municipalityOption())
        .action(async (plate, { municipality }) => {
          const { showSessions } = await import('./sessions.ts');
          await showSessions(office, plate, municipality);
        }),
      commandOf('end', SESSION, ['parking session end A-1 --plate AB123CD --at "07/03/2026 17:44"'])
        .argument('<session>', say(office, { en: 'its session_id', it: 'il suo session_id' }))
        .requiredOption('--plate <plate>', PLATE)
        .option('--at <time>', AT)
        .option('--source <code>', say(office, { en: 'of this source', it: 'di questa sorgente' }))
        .addOption(municipalityOption())
        .addOption(yesOption())
        .action(async (id, options) => {
          const { endSession } = await import('./sessions.ts');
          await endSession(office, id, options);
        }),
    ]),
    groupOf('subscription', SUBSCRIPTION, [
      commandOf('show', SUBSCRIPTION, ['parking subscription show R-1 --municipality H501'])
        .argument('[number]', NUMBER)
        .option('--plate <plate>', PLATE)
        .addOption(municipalityOption())
        .action(async (number, options) => {
          const { showSubscriptions } = await import('./subscriptions.ts');
          await showSubscriptions(office, number, options);
        }),
      commandOf('add', SUBSCRIPTION, [
        'parking subscription add R-9 --plate AB123CD --type RES --from 01/03/2026 --until 31/03/2026',
      ])
        .argument('<number>', NUMBER)
        .requiredOption('--plate <plates>', say(office, { en: 'its plates', it: 'le sue targhe' }), listed)
        .requiredOption('--type <code>', say(office, { en: 'code of its type', it: 'codice del suo tipo' }))
        .requiredOption('--from <time>', FROM)
        .requiredOption('--until <time>', UNTIL)
        .option(
          '--area <codes>',
          say(office, { en: 'its areas (default: all)', it: 'le sue aree (predefinito: tutte)' }),
          listed,
        )
        .addOption(municipalityOption())
        .addOption(yesOption())
        .action(async (number, options) => {
          const { addSubscription } = await import('./subscriptions.ts');
          await addSubscription(office, number, options);
        }),
      commandOf('renew', SUBSCRIPTION, [
        'parking subscription renew R-1 --from 01/04/2026 --until 30/04/2026',
      ])
        .argument('<number>', NUMBER)
        .requiredOption('--from <time>', FROM)
        .requiredOption('--until <time>', UNTIL)
        .addOption(municipalityOption())
        .addOption(yesOption())
        .action(async (number, options) => {
          const { renewSubscription } = await import('./subscriptions.ts');
          await renewSubscription(office, number, options);
        }),
      commandOf('end', SUBSCRIPTION, ['parking subscription end R-1 --municipality H501'])
        .argument('<number>', NUMBER)
        .option('--at <time>', AT)
        .addOption(municipalityOption())
        .addOption(yesOption())
        .action(async (number, options) => {
          const { endSubscription } = await import('./subscriptions.ts');
          await endSubscription(office, number, options);
        }),
    ]),
  ];
}
