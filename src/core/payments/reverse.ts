import { refuseFields } from '../../base/errors/refusal.ts';
import type { Instant } from '../../domain/instant.ts';
import type { ReversalResult } from '../../domain/payment.ts';
import { storedPlate } from '../../domain/plate.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { namesOf, requireKnownErasures } from '../../storage/plate-digest/names.ts';
import { presentFound, REVERSAL_TEXT } from '../recorded-payments/present.ts';
import type { ReversalRequest, ReversalResponse, reversalRequest } from './contract.ts';
import { type PlaceAndPayment, readPayment } from './payments-table.ts';
import { requireCollected } from './record.ts';
import { REVERSE, store } from './store-statements.ts';

/** Answers a reversal by a collector. Its facts are read while the admission is being decided. */
export async function reversePayment(c: JsonCall<typeof reversalRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const at = requireCollected(body.reversed_at, c.get('now'));
  const names = namesOf(c.env, body.payment_id);
  const beside = factsBesideGrant(c, body.municipality_code, (code) => readPayment(c.env.DB, code, names));

  const place = await beside.within(await c.get('admission').granted);
  requireKnownErasures(c.env, place);

  const reversal = await reverse(c, place, body, at);
  const log = c.get('log');
  log.outcome = reversal.result_code;
  if (reversal.payment !== null) {
    const { plate } = reversal.payment;
    // Its row of the log has a digest of the plate. Of an erased one nothing is kept.
    if (isPseudonym(plate)) c.set('whole', false);
    else log.plate = storedPlate(plate);
  }
  return succeed(c, reversal);
}

/**
 * Reverses a payment. Returns the answer.
 *
 * @throws Refusal `INVALID_REQUEST` where it was reversed before its collection
 */
export async function reverse(
  c: Call,
  place: PlaceAndPayment,
  { payment_id, reason }: Pick<ReversalRequest, 'payment_id' | 'reason'>,
  at: Instant,
): Promise<ReversalResponse> {
  if (place.payment !== null && at < place.payment.collectedAt) {
    refuseFields([{ path: 'reversed_at', message: BEFORE_COLLECTION }]);
  }
  const values = { names: namesOf(c.env, payment_id), at, reason: reason ?? null };
  const { payment, isStored } =
    place.payment?.reversedAt === null
      ? await store(c.env.DB, REVERSE, place, c.get('requestId'), values)
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
