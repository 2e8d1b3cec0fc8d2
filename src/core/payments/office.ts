import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, JsonCall } from '../../serving/call.ts';
import { namesOf } from '../../storage/plate-digest/names.ts';
import { stateOf } from '../recorded-payments/payment-table.ts';
import { presentFound } from '../recorded-payments/present.ts';
import type { officeFindRequest, settlementRequest } from './contract.ts';
import { presentPayments, readSelected, selectedBy } from './find.ts';
import { readPayment } from './found-table.ts';
import { storeSettlement } from './store-statements.ts';
import { inTries } from './tries.ts';

/**
 * Notes the municipality that a call of the office is about, before anything else is refused.
 *
 * @throws Refusal `MUNICIPALITY_NOT_ALLOWED`
 */
export async function requireInBounds(c: Call, code: string): Promise<void> {
  const bounds = await c.get('bounds');
  await bounds.requireMunicipalities([code]);
  c.get('log').municipalityCode = code;
  c.get('log').target = code;
}

/** Answers a search by the office. */
export async function findPaymentsForTheOffice(c: JsonCall<typeof officeFindRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const { municipality_code: code } = body;
  const selected = selectedBy(c.env, body);
  await requireInBounds(c, code);
  const found =
    (await readSelected(c.env.DB, code, selected)) ?? refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  return succeed(c, presentPayments(found, c.get('language')));
}

/** Answers a settlement: the office has refunded what made no period, or corrected the title. */
export async function settlePayment(c: JsonCall<typeof settlementRequest>): Promise<Response> {
  const { municipality_code: code, payment_id: sent, outcome, note = null } = c.req.valid('json');
  const requestId = c.get('requestId');
  const language = c.get('language');
  await requireInBounds(c, code);
  const find = () => readPayment(c.env.DB, code, namesOf(c.env, sent));
  const place = (await find()) ?? refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  const payment = await inTries(place, find, async ({ id, payment: stored }) => {
    if (stored === null) return refuse('NOT_FOUND', { message: UNKNOWN_PAYMENT });
    if (stateOf(stored) !== 'unsettled') refuseFields([{ path: 'payment_id', message: NOT_UNSETTLED }]);
    const by = { municipalityId: id, requestId, now: clockNow() };
    const settled = await storeSettlement(c.env.DB, by, { paymentId: stored.paymentId, outcome, note });
    return settled && { ...stored, ...settled };
  });
  return succeed(c, { payment: presentFound(payment, place, language) });
}

const UNKNOWN_PAYMENT = {
  en: 'The municipality has no payment with this payment_id.',
  it: 'Il comune non ha un pagamento con questo payment_id.',
};
const NOT_UNSETTLED = {
  en: 'must name an unsettled payment',
  it: 'deve indicare un pagamento in attesa di definizione',
};
