import { type AnyCommand, commandOf, MUNICIPALITY, Option } from '../command.ts';
import type { Office } from '../office.ts';
import { PAYMENT_STATES, SETTLED_OUTCOMES } from '../wire-names.ts';

const ID = { en: 'its payment_id', it: 'il suo payment_id' };

export function paymentListCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'list',
    {
      en: 'List the payments that were collected in a stretch of time, with the totals of every state. It takes an office’s token.',
      it: 'Elenca i pagamenti incassati in un intervallo, con i totali di ogni stato. Richiede il token di un ufficio.',
    },
    [
      'parking payment list --municipality H501',
      'parking payment list --state unsettled --from 01/11/2026 --until 30/11/2026 --municipality H501',
    ],
  )
    .option(
      '--from <time>',
      say({
        en: 'collected from then on (default: the last 31 days)',
        it: 'incassati da allora (predefinito: gli ultimi 31 giorni)',
      }),
    )
    .option(
      '--until <time>',
      say({
        en: 'and before then; a date alone: with that day (default: now)',
        it: 'e prima di allora; una data sola: con quel giorno (predefinito: ora)',
      }),
    )
    .option('-t, --terminal <code>', say({ en: 'of this terminal', it: 'di questo parcometro' }))
    .addOption(
      new Option('--state <state>', say({ en: 'in this state', it: 'in questo stato' })).choices(
        PAYMENT_STATES,
      ),
    )
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .action(async (options) => {
      const { listPayments } = await import('../payments/list.ts');
      await listPayments(office, options);
    });
}

export function paymentShowCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'show',
    {
      en: 'Show a payment: what became of it, and why. It takes an office’s token.',
      it: 'Mostra un pagamento: che cosa ne è stato, e perché. Richiede il token di un ufficio.',
    },
    ['parking payment show P-1 --municipality H501'],
  )
    .argument('<payment>', say(ID))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .action(async (id, { municipality }) => {
      const { showPayment } = await import('../payments/list.ts');
      await showPayment(office, id, municipality);
    });
}

export function paymentSettleCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'settle',
    {
      en: 'Record how the office settled a payment that made no period, after showing it and asking. It changes no subscription and moves no money.',
      it: 'Registra come l’ufficio ha definito un pagamento senza periodo, dopo averlo mostrato e chiesto conferma. Non modifica abbonamenti e non muove denaro.',
    },
    ['parking payment settle P-1 --outcome refunded --note "Refunded on 25/11" --municipality H501'],
  )
    .argument('<payment>', say(ID))
    .addOption(
      new Option(
        '--outcome <outcome>',
        say({
          en: 'the money was given back, or the subscription corrected',
          it: 'importo rimborsato, o abbonamento corretto',
        }),
      )
        .choices(SETTLED_OUTCOMES)
        .makeOptionMandatory(),
    )
    .option(
      '--note <text>',
      say({ en: 'what to remember, 200 characters', it: 'che cosa ricordare, 200 caratteri' }),
    )
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .option('-y, --yes', say({ en: 'do not ask', it: 'non chiedere' }))
    .action(async (id, options) => {
      const { settlePayment } = await import('../payments/settle.ts');
      await settlePayment(office, id, options);
    });
}

export function paymentClosingCommand(office: Office): AnyCommand {
  const say = office.say.bind(office);
  return commandOf(
    office,
    'closing',
    {
      en: 'Close a day: for each terminal, how many payments were collected and how much. It takes an office’s token.',
      it: 'La chiusura di un giorno: per ogni parcometro, quanti pagamenti e quale importo. Richiede il token di un ufficio.',
    },
    [
      'parking payment closing --municipality H501',
      'parking payment closing 24/11/2026 --municipality H501 --csv > chiusura.csv',
    ],
  )
    .argument('[day]', say({ en: 'the day (default: today)', it: 'il giorno (predefinito: oggi)' }))
    .option('--csv', say({ en: 'for a spreadsheet', it: 'per un foglio di calcolo' }))
    .option('-m, --municipality <code>', say(MUNICIPALITY))
    .action(async (day, options) => {
      const { closeDay } = await import('../payments/closing.ts');
      await closeDay(office, day, options);
    });
}
