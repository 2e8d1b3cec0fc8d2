import { type AnyCommand, commandOf, listed, MUNICIPALITY, PLATE } from '../command.ts';
import type { Office } from '../office.ts';

const NUMBER = { en: 'its subscription_number', it: 'il suo subscription_number' };
const PLATES = {
  en: 'its plates: one that is not named is taken off it',
  it: 'le sue targhe: una non indicata viene tolta',
};

export function subscriptionShowCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'show',
    {
      en: 'Show the stored subscriptions of a plate. Other plates of them are not shown. It takes the administrator’s token.',
      it: 'Mostra gli abbonamenti salvati di una targa. Altre targhe non vengono mostrate. Richiede il token dell’amministratore.',
    },
    ['parking subscription show AB123CD --municipality H501'],
  )
    .argument('<plate>', say(PLATE))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .action(async (plate, { municipality }) => {
      const { showSubscriptions } = await import('../records/subscriptions.ts');
      await showSubscriptions(office, plate, municipality);
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
      'parking subscription add R-1 --plate AB123CD --type RES --from 01/03/2026 --until 31/03/2026 --municipality H501',
    ],
  )
    .argument('<number>', say(NUMBER))
    .requiredOption('--plate <plates>', say({ en: 'its plates', it: 'le sue targhe' }), listed)
    .requiredOption('--type <code>', say({ en: 'code of its type', it: 'codice del suo tipo' }))
    .requiredOption(
      '--from <time>',
      say({ en: 'when the paid period starts', it: 'inizio del periodo pagato' }),
    )
    .requiredOption(
      '--until <time>',
      say({
        en: 'when it ends; a date alone: with that day',
        it: 'quando finisce; una data sola: con quel giorno',
      }),
    )
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

export function subscriptionEndCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'end',
    {
      en: 'Revoke a subscription, now or at another time, after showing it before and after, and asking. Name all of its plates.',
      it: 'Revoca un abbonamento, ora o a un altro orario, dopo averlo mostrato prima e dopo, e chiesto conferma. Indicare tutte le sue targhe.',
    },
    ['parking subscription end R-1 --plate AB123CD,EF456GH --municipality H501'],
  )
    .argument('<number>', say(NUMBER))
    .requiredOption('--plate <plates>', say(PLATES), listed)
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
