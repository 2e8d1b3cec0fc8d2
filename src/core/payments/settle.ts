import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { presentFound } from '../recorded-payments/present.ts';
import type { settlementRequest } from './contract.ts';
import { placeOfOffice } from './place.ts';
import { SETTLE, store } from './store-statements.ts';

/** Answers a settlement: the office has refunded what made no period, or corrected the title. */
export async function settlePayment(c: JsonCall<typeof settlementRequest>): Promise<Response> {
  const { outcome, note = null, ...asked } = c.req.valid('json');
  const place = await placeOfOffice(c, asked);
  const { payment, isStored } =
    place.payment?.state === 'unsettled'
      ? await store(c.env.DB, SETTLE, place, c.get('requestId'), { outcome, note })
      : { payment: place.payment, isStored: false };
  if (payment === null) refuse('NOT_FOUND', { message: UNKNOWN_PAYMENT });
  if (!isStored) refuseFields([{ path: 'payment_id', message: NOT_UNSETTLED }]);
  return succeed(c, { payment: presentFound(payment, place, c.get('language')) });
}

const UNKNOWN_PAYMENT = {
  en: 'The municipality has no payment with this payment_id.',
  it: 'Il comune non ha un pagamento con questo payment_id.',
};
const NOT_UNSETTLED = {
  en: 'must name an unsettled payment',
  it: 'deve indicare un pagamento in attesa di definizione',
};
