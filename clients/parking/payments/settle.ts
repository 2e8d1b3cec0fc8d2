import type { Input } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import type { Office } from '../office.ts';
import { Stop } from '../stop.ts';
import { confirm } from '../terminal/prompts.ts';
import { paymentLines } from '../views/payment.ts';
import { statusText } from '../views/status-words.ts';
import { type Payment, requirePayment } from './find-payments.ts';
import { requireMunicipality } from './municipality.ts';

export interface SettleOptions {
  readonly outcome: Input<'settlePayment'>['outcome'];
  readonly note?: string | undefined;
  readonly municipality?: string | undefined;
  readonly yes?: true | undefined;
}

/**
 * Shows an unsettled payment, asks, and records how the office has settled it.
 *
 * @throws Stop for a payment in another state, or for a no
 */
export async function settlePayment(office: Office, id: string, options: SettleOptions): Promise<void> {
  const code = requireMunicipality(office, options.municipality);
  const { outcome, note, yes = false } = options;
  const { terminal, json, language } = office;
  const before = await requirePayment(office, code, id);
  if (before.state !== 'unsettled') throw notUnsettled(before);
  // Never ask about a payment that was not shown.
  if (!json || !yes)
    for (const line of paymentLines(before, language, terminal.paintNote)) terminal.note(line);
  if (!yes) await confirm(office, QUESTION[outcome], null);
  const { payment } = await office.answer(
    office.client.settlePayment(
      { municipality_code: code, payment_id: id, outcome, ...(note !== undefined && { note }) },
      office.write,
    ),
  );
  if (json) terminal.json(payment);
  else terminal.data(office.say({ en: 'Done.', it: 'Fatto.' }));
}

const QUESTION = {
  refunded: {
    en: 'Record that the money was given back?',
    it: 'Registrare che l’importo è stato rimborsato?',
  },
  corrected: {
    en: 'Record that the subscription was corrected?',
    it: 'Registrare che l’abbonamento è stato corretto?',
  },
};

function notUnsettled({ payment_id: id, state }: Payment): Stop {
  const words = statusText('payment', state);
  return new Stop(EXIT.refused, {
    en: `Payment ${id} is not unsettled: it is ${words.en}. \`parking payment show\` shows it.`,
    it: `Il pagamento ${id} non è da definire: è ${words.it}. \`parking payment show\` lo mostra.`,
  });
}
