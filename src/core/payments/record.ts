import { refuse } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Instant } from '../../domain/instant.ts';
import { collectionInstant, decidePayment, type PaymentVerdict } from '../../domain/payment.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import type { StoredPayment } from '../recorded-payments/payment-parts.ts';
import type { PaymentRequest, paymentRequest } from './contract.ts';
import {
  type PaymentMunicipality,
  type PaymentQuery,
  readPaymentFacts,
  type VersionedSubscription,
} from './facts.ts';
import { namesOf, storePayment } from './payment-table.ts';
import { presentPayment } from './present.ts';
import { inTries, stillThere } from './tries.ts';

/** @throws Refusal `COLLECTED_AT_IN_FUTURE` or `COLLECTED_AT_OUT_OF_RANGE` */
export function requireCollected(sent: Instant, now: Instant): Instant {
  const collected = collectionInstant(sent, now);
  return 'refused' in collected ? refuse(collected.refused) : collected.at;
}

/** A payment that is stored, and whether this very call has stored it. */
interface RecordedPayment {
  readonly payment: StoredPayment;
  readonly isFirst: boolean;
}

/**
 * Answers a payment, the first one or the same sent again. Its facts are read while the admission is being decided.
 */
export async function recordPayment(c: JsonCall<typeof paymentRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const { env } = c;
  const { now, language, log } = c.var;
  const query: PaymentQuery = {
    plate: normalizePlate(body.plate) ?? refuse('INVALID_PLATE'),
    at: requireCollected(body.collected_at, now),
    names: namesOf(env, body.payment_id),
    planCode: body.codice_tariffa,
    offeredBy: body.options_request_id ?? null,
  };
  const facts = factsBesideGrant(c, body.municipality_code, (code) => readPaymentFacts(env.DB, code, query));

  const grant = await c.var.admission.granted;
  const municipality = await facts.within(grant);

  const { payment, isFirst } = await record(c, query, municipality);
  log.outcome = payment.resultCode;
  return succeed(c, presentPayment(payment, isFirst, municipality, language));
}

/**
 * Records a payment, or finds that it is recorded. It is judged by what is stored now; where that changes before it is stored, it is
 * judged again.
 *
 * @throws Refusal `PAYMENT_CONFLICT`
 */
function record(
  c: JsonCall<typeof paymentRequest>,
  query: PaymentQuery,
  municipality: PaymentMunicipality,
): Promise<RecordedPayment> {
  const body = c.req.valid('json');
  const { env } = c;
  const { requestId } = c.var;
  const readAgain = async () => stillThere(await readPaymentFacts(env.DB, municipality.code, query));
  return inTries(municipality, readAgain, async (facts) => {
    const { stored } = facts;
    if (stored !== null) {
      if (!isSamePayment(stored, body, query)) refuse('PAYMENT_CONFLICT');
      return { payment: stored, isFirst: stored.requestId === requestId };
    }
    const verdict = decidePayment(facts.held, {
      collectedAt: query.at,
      planCode: query.planCode,
      amountCents: body.importo_eurocent,
      subscriptionNames:
        body.subscription_number === undefined ? null : namesOf(env, body.subscription_number),
      timeZone: facts.timeZone,
    });
    const by = { municipalityId: facts.id, requestId, now: clockNow() };
    const { meant, purchase } = verdict;
    const row = rowOf(body, query, verdict);
    const created = purchase === null || meant === null ? null : { of: meant, period: purchase.period };
    const recordedAt = await storePayment(env.DB, by, row, created);
    return recordedAt === null
      ? null
      : { payment: newPayment(row, verdict, recordedAt, requestId), isFirst: true };
  });
}

function isSamePayment(stored: StoredPayment, body: PaymentRequest, { plate }: PaymentQuery): boolean {
  return (
    (stored.plate === plate || isPseudonym(stored.plate)) &&
    stored.planCode === body.codice_tariffa &&
    stored.amountCents === body.importo_eurocent &&
    stored.sentCollectedAt === body.collected_at
  );
}

function rowOf(
  body: PaymentRequest,
  { plate, at }: PaymentQuery,
  { resultCode, meant, expectedCents, purchase }: PaymentVerdict<VersionedSubscription>,
) {
  return {
    paymentId: body.payment_id,
    plate,
    terminalCode: body.terminal_code ?? null,
    planCode: body.codice_tariffa,
    amountCents: body.importo_eurocent,
    expectedCents,
    collectedAt: at,
    sentCollectedAt: body.collected_at,
    resultCode,
    operation: purchase?.operation ?? null,
    subscriptionId: meant?.id ?? null,
    periodStartsAt: purchase?.period.startsAt ?? null,
    periodEndsAt: purchase?.period.endsAt ?? null,
  };
}

/** A payment as it is once it is stored. */
function newPayment(
  row: ReturnType<typeof rowOf>,
  { resultCode, meant, purchase }: PaymentVerdict<VersionedSubscription>,
  recordedAt: Instant,
  requestId: string,
): StoredPayment {
  const { periodStartsAt: _start, periodEndsAt: _end, ...values } = row;
  return {
    ...{ ...values, resultCode, recordedAt, requestId },
    subscriptionNumber: meant?.subscription.subscriptionNumber ?? null,
    period: purchase?.period ?? null,
    state: purchase === null ? 'unsettled' : 'accepted',
    ...{ reversedAt: null, settled: null },
  };
}
