import { refuse } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Instant } from '../../domain/instant.ts';
import { collectionInstant, decidePayment, type PaymentVerdict } from '../../domain/payment.ts';
import { normalizePlate } from '../../domain/plate.ts';
import type { ValidRequest } from '../../serving/pipeline/operation.ts';
import type { MunicipalityCallContext, MunicipalityReading } from '../../serving/pipeline/reading.ts';
import { isPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import type { StoredPayment } from '../recorded-payments/payment-parts.ts';
import type { PaymentRequest } from './contract.ts';
import {
  type PaymentMunicipality,
  type PaymentQuery,
  readPaymentFacts,
  type VersionedSubscription,
} from './facts.ts';
import { namesOf, storePayment } from './payment-table.ts';
import { inTries, onlyOne } from './tries.ts';

type Context = MunicipalityCallContext<PaymentQuery, PaymentMunicipality>;

/**
 * What a payment is judged by. It is read again whenever something of it has changed before the payment is
 * stored.
 */
export const paymentReading: MunicipalityReading<
  ValidRequest<PaymentRequest>,
  PaymentQuery,
  PaymentMunicipality
> = {
  kind: 'municipality',
  early: true,
  retried: true,
  code: ({ body }) => body.municipality_code,
  query: ({ body }, { env, now }) => {
    const plate = normalizePlate(body.plate);
    if (plate === null) {
      refuse('INVALID_PLATE');
    }
    return {
      plate,
      at: requireCollected(body.collected_at, now),
      names: namesOf(env, body.payment_id),
      planCode: body.codice_tariffa,
      offeredBy: body.options_request_id ?? null,
    };
  },
  read: (db, search, query) => readPaymentFacts(db, search, query),
};

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
 * Records a payment, or finds that it is recorded. It is judged by what is stored now; where that changes before it is stored, it is
 * judged again.
 *
 * @throws Refusal `PAYMENT_CONFLICT`
 */
export async function recordPayment(body: PaymentRequest, context: Context): Promise<RecordedPayment> {
  const { env, query, requestId } = context;
  return inTries(context, context.municipality, readAgain(context), async (facts) => {
    const { stored } = facts;
    if (stored !== null) {
      if (!isSamePayment(stored, body, query)) {
        refuse('PAYMENT_CONFLICT');
      }
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

const readAgain =
  ({ env, municipality, query }: Context) =>
  async (): Promise<PaymentMunicipality> => {
    const search = { by: 'code', code: municipality.code } as const;
    const { municipalities } = await readPaymentFacts(env.DB, search, query);
    return onlyOne(municipalities);
  };

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
