import { type AnyCommand, commandOf, listed, MUNICIPALITY, PLATE } from '../command.ts';
import type { Office } from '../office.ts';

const NUMBER = { en: 'its number', it: 'il suo numero' };
const FROM = { en: 'when the paid period starts', it: 'inizio del periodo pagato' };
const UNTIL = {
  en: 'when it ends; a date alone: with that day',
  it: 'quando finisce; una data sola: con quel giorno',
};

export function subscriptionShowCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'show',
    {
      en: 'Show a stored subscription with all its plates, or those of a plate. It takes an office’s token.',
      it: 'Mostra un abbonamento salvato con tutte le sue targhe, o quelli di una targa. Richiede il token di un ufficio.',
    },
    [
      'parking subscription show R-1 --municipality H501',
      'parking subscription show --plate AB123CD --municipality H501',
    ],
  )
    .argument('[number]', say(NUMBER))
    .option('--plate <plate>', say(PLATE))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .action(async (number, options) => {
      const { showSubscriptions } = await import('../records/subscriptions.ts');
      await showSubscriptions(office, number, options);
    });
}

export function subscriptionAddCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'add',
    {
      en: 'Add an approved subscription with one paid period, after showing it and asking.',
      it: 'Aggiunge un abbonamento approvato con un periodo pagato, dopo averlo mostrato e chiesto conferma.',
    },
    [
      'parking subscription add R-9 --plate AB123CD --type RES --from 01/03/2026 --until 31/03/2026 --municipality H501',
    ],
  )
    .argument('<number>', say(NUMBER))
    .requiredOption('--plate <plates>', say({ en: 'its plates', it: 'le sue targhe' }), listed)
    .requiredOption('--type <code>', say({ en: 'code of its type', it: 'codice del suo tipo' }))
    .requiredOption('--from <time>', say(FROM))
    .requiredOption('--until <time>', say(UNTIL))
    .option(
      '--area <codes>',
      say({ en: 'its areas (default: all)', it: 'le sue aree (predefinito: tutte)' }),
      listed,
    )
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (number, options) => {
      const { addSubscription } = await import('../records/subscriptions.ts');
      await addSubscription(office, number, options);
    });
}

export function subscriptionRenewCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'renew',
    {
      en: 'Add a further paid period to a subscription, after showing it before and after, and asking. Its plates and all else stay.',
      it: 'Aggiunge un altro periodo pagato a un abbonamento, dopo averlo mostrato prima e dopo, e chiesto conferma. Le targhe e il resto non cambiano.',
    },
    ['parking subscription renew R-1 --from 01/04/2026 --until 30/04/2026 --municipality H501'],
  )
    .argument('<number>', say(NUMBER))
    .requiredOption('--from <time>', say(FROM))
    .requiredOption('--until <time>', say(UNTIL))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (number, options) => {
      const { renewSubscription } = await import('../records/subscriptions.ts');
      await renewSubscription(office, number, options);
    });
}

export function subscriptionEndCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'end',
    {
      en: 'Revoke a subscription, now or at another time, after showing it before and after, and asking.',
      it: 'Revoca un abbonamento, ora o a un altro orario, dopo averlo mostrato prima e dopo, e chiesto conferma.',
    },
    ['parking subscription end R-1 --municipality H501'],
  )
    .argument('<number>', say(NUMBER))
    .option(
      '--at <time>',
      say({ en: 'when it ends (default: now)', it: 'quando finisce (predefinito: ora)' }),
    )
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (number, options) => {
      const { endSubscription } = await import('../records/subscriptions.ts');
      await endSubscription(office, number, options);
    });
}
