import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import type { CallContext } from '../../serving/pipeline/reading.ts';
import type { StoredPayment } from '../recorded-payments/payment-parts.ts';
import type { SettlementRequest } from './contract.ts';
import { type FoundPayments, findOf, type Selected } from './found-table.ts';
import { namesOf, storeSettlement } from './payment-table.ts';
import { inTries } from './tries.ts';

/**
 * The payments of a municipality.
 *
 * @throws Refusal `NOT_FOUND` for an unknown municipality
 */
export async function findForOffice(
  { env, deadline }: Pick<CallContext, 'env' | 'deadline'>,
  code: string,
  selected: Selected,
): Promise<FoundPayments> {
  const found = await deadline.race(findOf(env.DB, code, selected));
  return found ?? refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
}

/**
 * Settles a payment that made no period.
 *
 * @throws Refusal `NOT_FOUND` for an unknown payment or municipality; `INVALID_REQUEST` for a payment in another state
 */
export async function settlePayment(
  body: SettlementRequest,
  context: CallContext,
): Promise<{ readonly payment: StoredPayment; readonly place: FoundPayments['place'] }> {
  const { municipality_code: code, payment_id, outcome } = body;
  const note = body.note ?? null;
  const names = namesOf(context.env, payment_id);
  const find = () => findForOffice(context, code, { names });
  let isOwn = false;
  return inTries(context, await find(), find, async ({ payments, place }) => {
    const [payment] = payments;
    if (payment === undefined) {
      return refuse('NOT_FOUND', { message: UNKNOWN_PAYMENT });
    }
    if (payment.state === 'settled' && isOwn) {
      return { payment, place };
    }
    if (payment.state !== 'unsettled') {
      refuseFields([{ path: 'payment_id', message: NOT_UNSETTLED }]);
    }
    const { requestId, now } = context;
    const by = { municipalityId: place.id, requestId, now };
    isOwn = true;
    const recordedAt = await storeSettlement(context.env.DB, by, payment.paymentId, { outcome, note });
    isOwn = recordedAt !== null;
    return recordedAt === null
      ? null
      : { payment: { ...payment, state: 'settled', settled: { outcome, note, at: now } }, place };
  });
}

const UNKNOWN_PAYMENT = {
  en: 'The municipality has no payment with this payment_id.',
  it: 'Il comune non ha un pagamento con questo payment_id.',
};
const NOT_UNSETTLED = {
  en: 'must name an unsettled payment',
  it: 'deve indicare un pagamento in attesa di definizione',
};
