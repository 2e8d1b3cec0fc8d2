import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Instant } from '../../domain/instant.ts';
import { storedPlate } from '../../domain/plate.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { namesOf, requireKnownErasures } from '../../storage/plate-digest/names.ts';
import type { officeReversalRequest, ReversalRequest, reversalRequest } from './contract.ts';
import { type PaymentFacts, readPayment } from './found-table.ts';
import { requireInBounds } from './office.ts';
import { presentReversal, type Reversal } from './present.ts';
import { requireCollected } from './record.ts';
import { storeReversal } from './store-statements.ts';
import { inTries } from './tries.ts';

/** Answers a reversal by a collector. Its facts are read while the admission is being decided. */
export async function reversePayment(c: JsonCall<typeof reversalRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const at = requireCollected(body.reversed_at, c.get('now'));
  const names = namesOf(c.env, body.payment_id);
  const beside = factsBesideGrant(c, body.municipality_code, (code) => readPayment(c.env.DB, code, names));

  const grant = await c.get('admission').granted;
  const facts = await beside.within(grant);
  requireKnownErasures(c.env, facts);

  const { payment, resultCode } = await reverse(c, body, at, facts);
  const language = c.get('language');
  const log = c.get('log');
  log.outcome = resultCode;
  if (payment !== null) noteKept(c, payment.plate);
  return succeed(c, presentReversal(body.payment_id, { payment, resultCode }, facts, language));
}

/** Its row of the log has a digest of the plate. Of an erased one nothing is kept. */
function noteKept(c: Call, plate: string): void {
  if (isPseudonym(plate)) c.set('whole', false);
  else c.get('log').plate = storedPlate(plate);
}

/** Answers a reversal by the office. */
export async function reversePaymentForTheOffice(
  c: JsonCall<typeof officeReversalRequest>,
): Promise<Response> {
  const body = c.req.valid('json');
  const { municipality_code: code } = body;
  const at = requireCollected(body.reversed_at, c.get('now'));
  await requireInBounds(c, code);
  const facts =
    (await readPayment(c.env.DB, code, namesOf(c.env, body.payment_id))) ??
    refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  const reversal = await reverse(c, body, at, facts);
  return succeed(c, presentReversal(body.payment_id, reversal, facts, c.get('language')));
}

/**
 * Reverses a payment.
 *
 * @throws Refusal `INVALID_REQUEST` where it was reversed before its collection
 */
function reverse(
  { env, var: { requestId } }: Call,
  { payment_id: paymentId, reason }: Pick<ReversalRequest, 'payment_id' | 'reason'>,
  at: Instant,
  first: PaymentFacts,
): Promise<Reversal> {
  const readAgain = () => readPayment(env.DB, first.code, namesOf(env, paymentId));
  return inTries(first, readAgain, async ({ id, payment }): Promise<Reversal | null> => {
    if (payment === null) return { resultCode: 'PAYMENT_NOT_FOUND', payment };
    if (at < payment.collectedAt) refuseFields([{ path: 'reversed_at', message: BEFORE_COLLECTION }]);
    if (payment.reversedAt !== null) return { resultCode: 'ALREADY_REVERSED', payment };
    const by = { municipalityId: id, requestId, now: clockNow() };
    const reversed = await storeReversal(env.DB, by, {
      paymentId: payment.paymentId,
      at,
      reason: reason ?? null,
    });
    return reversed && { resultCode: 'PAYMENT_REVERSED', payment: { ...payment, ...reversed } };
  });
}

const BEFORE_COLLECTION = {
  en: 'must not be before the collection of the payment',
  it: 'non deve precedere la riscossione del pagamento',
};
