import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, JsonCall } from '../../serving/call.ts';
import { namesOf } from '../../storage/plate-digest/names.ts';
import { presentFound } from '../recorded-payments/present.ts';
import type { officeFindRequest, officeReversalRequest, settlementRequest } from './contract.ts';
import { find, soughtNames } from './find.ts';
import { type PlaceAndPayment, readPayment } from './payments-table.ts';
import { requireCollected } from './record.ts';
import { reverse } from './reverse.ts';
import { SETTLE, store } from './store-statements.ts';

/** Answers a search by the office. */
export async function findPaymentsForTheOffice(c: JsonCall<typeof officeFindRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const place = await placeInBounds(c, body.municipality_code, soughtNames(c.env, body));
  return succeed(c, await find(c.env, place, body, c.get('language')));
}

/** Answers a reversal by the office. */
export async function reversePaymentForTheOffice(
  c: JsonCall<typeof officeReversalRequest>,
): Promise<Response> {
  const body = c.req.valid('json');
  const at = requireCollected(body.reversed_at, c.get('now'));
  const place = await placeInBounds(c, body.municipality_code, namesOf(c.env, body.payment_id));
  return succeed(c, await reverse(c, place, body, at));
}

/** Answers a settlement: the office has refunded what made no period, or corrected the title. */
export async function settlePayment(c: JsonCall<typeof settlementRequest>): Promise<Response> {
  const { municipality_code: code, payment_id: sent, outcome, note = null } = c.req.valid('json');
  const names = namesOf(c.env, sent);
  const place = await placeInBounds(c, code, names);
  const { payment, isStored } =
    place.payment?.state === 'unsettled'
      ? await store(c.env.DB, SETTLE, place, c.get('requestId'), { names, outcome, note })
      : { payment: place.payment, isStored: false };
  if (payment === null) refuse('NOT_FOUND', { message: UNKNOWN_PAYMENT });
  if (!isStored) refuseFields([{ path: 'payment_id', message: NOT_UNSETTLED }]);
  return succeed(c, { payment: presentFound(payment, place, c.get('language')) });
}

/**
 * The municipality that a call of the office is about, and the payment. The log names it, whatever becomes of the call.
 *
 * @throws Refusal `MUNICIPALITY_NOT_ALLOWED`, `NOT_FOUND`
 */
async function placeInBounds(c: Call, code: string, names: readonly string[]): Promise<PlaceAndPayment> {
  const bounds = await c.get('bounds');
  await bounds.requireMunicipalities([code]);
  c.get('log').municipalityCode = code;
  c.get('log').target = code;
  return (await readPayment(c.env.DB, code, names)) ?? refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
}

const UNKNOWN_PAYMENT = {
  en: 'The municipality has no payment with this payment_id.',
  it: 'Il comune non ha un pagamento con questo payment_id.',
};
const NOT_UNSETTLED = {
  en: 'must name an unsettled payment',
  it: 'deve indicare un pagamento in attesa di definizione',
};
