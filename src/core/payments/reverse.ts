import { refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Instant } from '../../domain/instant.ts';
import { decideReversal } from '../../domain/payment.ts';
import { storedPlate } from '../../domain/plate.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import type { StoredPayment } from '../recorded-payments/payment-parts.ts';
import type { ReversalRequest, reversalRequest } from './contract.ts';
import { namesOf, storeReversal } from './payment-table.ts';
import { presentReversal, type Reversal } from './present.ts';
import { requireCollected } from './record.ts';
import { type ReversalMunicipality, readReversalFacts } from './reversal-table.ts';
import { inTries, stillThere } from './tries.ts';

/** Answers a reversal by a collector. Its facts are read while the admission is being decided. */
export async function reversePayment(c: JsonCall<typeof reversalRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const { env } = c;
  const at = requireCollected(body.reversed_at, c.var.now);
  const names = namesOf(env, body.payment_id);
  const facts = factsBesideGrant(c, body.municipality_code, (code) => readReversalFacts(env.DB, code, names));

  const grant = await c.var.admission.granted;
  const municipality = await facts.within(grant);

  const reversal = await reverse(c, body, at, municipality);
  const { payment, resultCode } = reversal;
  const { language, log } = c.var;
  log.outcome = resultCode;
  // Only a digest of it is kept.
  if (payment !== null && !isPseudonym(payment.plate)) log.plate = storedPlate(payment.plate);
  return succeed(c, presentReversal(body.payment_id, reversal, municipality, language));
}

/**
 * Reverses a payment.
 *
 * @throws Refusal `INVALID_REQUEST` where it was reversed before its collection
 */
function reverse(
  c: Call,
  body: ReversalRequest,
  at: Instant,
  municipality: ReversalMunicipality,
): Promise<Reversal> {
  const { env } = c;
  const { requestId } = c.var;
  const names = namesOf(env, body.payment_id);
  const readAgain = async () => stillThere(await readReversalFacts(env.DB, municipality.code, names));
  let isOwn = false;
  return inTries(municipality, readAgain, async (facts) => {
    const { stored: payment, isNextPaid } = facts;
    if (payment !== null && at < payment.collectedAt) {
      refuseFields([{ path: 'reversed_at', message: BEFORE_COLLECTION }]);
    }
    const isReversed = payment?.state === 'reversed';
    const resultCode = decideReversal({ payment: payment && { isReversed }, isNextPaid });
    if (payment === null || resultCode !== 'PAYMENT_REVERSED') {
      // An earlier try of this very call has stored it, and its answer was lost.
      return { resultCode: isReversed && isOwn ? 'PAYMENT_REVERSED' : resultCode, payment };
    }
    const by = { municipalityId: facts.id, requestId, now: clockNow() };
    const row = { paymentId: payment.paymentId, at: at, reason: body.reason ?? null };
    isOwn = true;
    const recordedAt = await storeReversal(env.DB, by, row, madeBy(payment, facts));
    isOwn = recordedAt !== null;
    return recordedAt === null
      ? null
      : { resultCode, payment: { ...payment, state: 'reversed', reversedAt: at } };
  });
}

const madeBy = ({ subscriptionId, period }: StoredPayment, { hasPeriod, changedAt }: ReversalMunicipality) =>
  !hasPeriod || subscriptionId === null || period === null
    ? null
    : { of: { id: subscriptionId, changedAt }, startsAt: period.startsAt };

const BEFORE_COLLECTION = {
  en: 'must not be before the collection of the payment',
  it: 'non deve precedere la riscossione del pagamento',
};
