import { refuseFields } from '../../base/errors/refusal.ts';
import type { ReversalResult } from '../../domain/payment.ts';
import { storedPlate } from '../../domain/plate.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { requireKnownErasures } from '../../storage/plate-digest/names.ts';
import { presentFound, REVERSAL_TEXT } from '../recorded-payments/present.ts';
import type { officeReversalRequest, ReversalResponse, reversalRequest } from './contract.ts';
import { type FindPlace, placeOfCollector, placeOfOffice } from './place.ts';
import { requireCollected } from './record.ts';
import { REVERSE, store } from './store-statements.ts';

/** Answers a reversal by a collector. */
export async function reversePayment(c: JsonCall<typeof reversalRequest>): Promise<Response> {
  const reversal = await reverse(c, loggedPlace);
  c.get('log').outcome = reversal.result_code;
  return succeed(c, reversal);
}

/** {@link placeOfCollector}. The call's row of the log has a digest of the payment's plate; of an erased one nothing is kept. */
const loggedPlace: FindPlace = async (c, asked) => {
  const place = await placeOfCollector(c, asked);
  if (place.payment !== null) {
    const { plate } = place.payment;
    if (isPseudonym(plate)) c.set('whole', false);
    else c.get('log').plate = storedPlate(plate);
  }
  return place;
};

/** Answers a reversal by the office. */
export const reversePaymentForTheOffice = async (
  c: JsonCall<typeof officeReversalRequest>,
): Promise<Response> => succeed(c, await reverse(c, placeOfOffice));

/** @throws Refusal `INVALID_REQUEST` where it was reversed before its collection */
async function reverse(
  c: JsonCall<typeof reversalRequest | typeof officeReversalRequest>,
  findPlace: FindPlace,
): Promise<ReversalResponse> {
  const { payment_id, reversed_at, reason = null } = c.req.valid('json');
  const at = requireCollected(reversed_at, c.get('now'));
  const place = await findPlace(c, c.req.valid('json'));
  requireKnownErasures(c.env, place);
  if (place.payment !== null && at < place.payment.collectedAt) {
    refuseFields([{ path: 'reversed_at', message: BEFORE_COLLECTION }]);
  }
  const { payment, isStored } =
    place.payment?.reversedAt === null
      ? await store(c.env.DB, REVERSE, place, c.get('requestId'), { at, reason })
      : { payment: place.payment, isStored: false };
  const language = c.get('language');
  const resultCode = resultOf(isStored, payment !== null);
  return {
    api_version: '2.1',
    result_code: resultCode,
    message: REVERSAL_TEXT[resultCode][language],
    accepted: payment !== null,
    payment_id,
    municipality: { code: place.code, name: place.name },
    timezone: place.timeZone,
    payment: payment && presentFound(payment, place, language),
  };
}

function resultOf(isStored: boolean, isKnown: boolean): ReversalResult {
  if (isStored) return 'PAYMENT_REVERSED';
  return isKnown ? 'ALREADY_REVERSED' : 'PAYMENT_NOT_FOUND';
}

const BEFORE_COLLECTION = {
  en: 'must not be before the collection of the payment',
  it: 'non deve precedere la riscossione del pagamento',
};
