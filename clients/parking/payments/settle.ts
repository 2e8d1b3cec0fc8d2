import type { Input } from '../../client/index.ts';
import { EXIT } from '../exit-codes.ts';
import { stopOf } from '../failure-advice.ts';
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
  const payment = await settled(office, {
    ...{ municipality_code: code, payment_id: id, outcome },
    ...(note !== undefined && { note }),
  });
  if (json) terminal.json(payment);
  else terminal.data(office.say({ en: 'Done.', it: 'Fatto.' }));
}

/** The settled payment. The client tries again if an answer is lost: then the first try has settled it. */
async function settled(office: Office, input: Input<'settlePayment'>): Promise<Payment> {
  const result = await office.client.settlePayment(input, office.write);
  if (result.ok) return result.answer.payment;
  if (result.failure === 'refused' && result.code === 'INVALID_REQUEST') {
    const now = await requirePayment(office, input.municipality_code, input.payment_id);
    if (now.settled?.outcome === input.outcome && now.settled.note === (input.note ?? null)) return now;
  }
  throw stopOf(result);
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
    en: `Payment ${id} cannot be settled: it is ${words.en}. \`parking payment show\` shows it.`,
    it: `Il pagamento ${id} non è da definire: è ${words.it}. \`parking payment show\` lo mostra.`,
  });
}
