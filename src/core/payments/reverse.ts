import { refuseFields } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Instant } from '../../domain/instant.ts';
import { decideReversal, type ReversalResult } from '../../domain/payment.ts';
import type { ValidRequest } from '../../serving/pipeline/operation.ts';
import type { MunicipalityCallContext, MunicipalityReading } from '../../serving/pipeline/reading.ts';
import type { StoredPayment } from '../recorded-payments/payment-parts.ts';
import type { ReversalRequest } from './contract.ts';
import { namesOf, storeReversal } from './payment-table.ts';
import { requireCollected } from './record.ts';
import { type ReversalMunicipality, readReversalFacts } from './reversal-table.ts';
import { inTries, onlyOne } from './tries.ts';

interface ReversalQuery {
  /** When the sale was reversed. */
  readonly at: Instant;
  readonly names: readonly string[];
}

type Context = MunicipalityCallContext<ReversalQuery, ReversalMunicipality>;

export const reversalReading: MunicipalityReading<
  ValidRequest<ReversalRequest>,
  ReversalQuery,
  ReversalMunicipality
> = {
  kind: 'municipality',
  early: true,
  retried: true,
  code: ({ body }) => body.municipality_code,
  query: ({ body }, { env, now }) => ({
    at: requireCollected(body.reversed_at, now),
    names: namesOf(env, body.payment_id),
  }),
  read: (db, search, { names }) => readReversalFacts(db, search, names),
};

/** What became of a reversal, and the payment as it is now. */
interface Reversal {
  readonly resultCode: ReversalResult;
  readonly payment: StoredPayment | null;
}

/**
 * Reverses a payment.
 *
 * @throws Refusal `INVALID_REQUEST` where it was reversed before its collection
 */
export function reversePayment(body: ReversalRequest, context: Context): Promise<Reversal> {
  const { env, query, requestId } = context;
  let isOwn = false;
  return inTries(context, context.municipality, readAgain(context), async (facts) => {
    const { stored: payment, isNextPaid } = facts;
    if (payment !== null && query.at < payment.collectedAt) {
      refuseFields([{ path: 'reversed_at', message: BEFORE_COLLECTION }]);
    }
    const isReversed = payment?.state === 'reversed';
    const resultCode = decideReversal({ payment: payment && { isReversed }, isNextPaid });
    if (payment === null || resultCode !== 'PAYMENT_REVERSED') {
      // An earlier try of this very call has stored it, and its answer was lost.
      return { resultCode: isReversed && isOwn ? 'PAYMENT_REVERSED' : resultCode, payment };
    }
    const by = { municipalityId: facts.id, requestId, now: clockNow() };
    const row = { paymentId: payment.paymentId, at: query.at, reason: body.reason ?? null };
    isOwn = true;
    const recordedAt = await storeReversal(env.DB, by, row, madeBy(payment, facts));
    isOwn = recordedAt !== null;
    return recordedAt === null
      ? null
      : { resultCode, payment: { ...payment, state: 'reversed', reversedAt: query.at } };
  });
}

const madeBy = ({ subscriptionId, period }: StoredPayment, { hasPeriod, changedAt }: ReversalMunicipality) =>
  !hasPeriod || subscriptionId === null || period === null
    ? null
    : { of: { id: subscriptionId, changedAt }, startsAt: period.startsAt };

const readAgain =
  ({ env, municipality, query }: Context) =>
  async (): Promise<ReversalMunicipality> => {
    const search = { by: 'code', code: municipality.code } as const;
    const { municipalities } = await readReversalFacts(env.DB, search, query.names);
    return onlyOne(municipalities);
  };

const BEFORE_COLLECTION = {
  en: 'must not be before the collection of the payment',
  it: 'non deve precedere la riscossione del pagamento',
};
