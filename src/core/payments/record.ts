import { refuse } from '../../base/errors/refusal.ts';
import { clockNow } from '../../base/platform/clock.ts';
import type { Instant } from '../../domain/instant.ts';
import { collectionInstant, decidePayment } from '../../domain/payment.ts';
import { normalizePlate, spellsPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { isPseudonym, keyDigest, newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { namesOf, requireKnownErasures } from '../../storage/plate-digest/names.ts';
import { digestKeys, plateDigests } from '../../storage/plate-digest/plate-digest.ts';
import type { StoredPayment } from '../recorded-payments/payment-table.ts';
import type { PaymentRequest, paymentRequest } from './contract.ts';
import {
  type JudgedFacts,
  type PaymentQuery,
  payableWith,
  readPaymentFacts,
  readSoldBefore,
} from './facts.ts';
import { presentPayment } from './present.ts';
import { storePayment } from './store-statements.ts';
import { inTries } from './tries.ts';

/** @throws Refusal `COLLECTED_AT_IN_FUTURE` or `COLLECTED_AT_OUT_OF_RANGE` */
export function requireCollected(sent: Instant, now: Instant): Instant {
  const collected = collectionInstant(sent, now);
  return 'refused' in collected ? refuse(collected.refused) : collected.at;
}

/** What is asked to be recorded, and the instant at which it is judged. */
interface Sent extends PaymentQuery {
  readonly body: PaymentRequest;
  readonly collectedAt: Instant;
}

/** Answers a payment, the first one or the same sent again. Its facts are read while the admission is being decided. */
export async function recordPayment(c: JsonCall<typeof paymentRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const { env } = c;
  const now = c.get('now');
  const requestId = c.get('requestId');
  const language = c.get('language');
  const log = c.get('log');
  const sent: Sent = {
    body,
    plate: normalizePlate(body.plate) ?? refuse('INVALID_PLATE'),
    collectedAt: requireCollected(body.collected_at, now),
    names: namesOf(env, body.payment_id),
    planCode: body.codice_tariffa,
  };
  const read = (code: string) => readPaymentFacts(env.DB, code, sent);
  const beside = factsBesideGrant(c, body.municipality_code, read);

  const grant = await c.get('admission').granted;
  const municipality = await beside.within(grant);
  requireKnownErasures(env, municipality);

  const { payment, isFirst } = await inTries(
    municipality,
    () => read(municipality.code),
    async (facts) => {
      if (facts.payment === null) return recordJudged(env, requestId, facts, sent);
      if (!isSamePayment(facts.payment, sent)) refuse('PAYMENT_CONFLICT');
      return { payment: facts.payment, isFirst: false };
    },
  );
  log.outcome = payment.resultCode;
  // Of an erased plate no request is kept.
  if (isPseudonym(payment.plate)) c.set('whole', false);
  return succeed(c, presentPayment(body.payment_id, payment, isFirst, municipality, language));
}

const isSamePayment = (stored: StoredPayment, { plate, body }: Sent): boolean =>
  (stored.plate === plate || isPseudonym(stored.plate)) &&
  stored.planCode === body.codice_tariffa &&
  stored.amountCents === body.importo_eurocent &&
  stored.sentCollectedAt === body.collected_at;

/** Judges a payment and stores it. Returns null if what it was judged by has changed meanwhile. */
async function recordJudged(env: Env, requestId: string, facts: JudgedFacts, sent: Sent) {
  const { resultCode, meant, expectedCents, purchase } = await judge(env, facts, sent);
  const { body, plate, names, collectedAt } = sent;
  const stored = await storePayment(
    env.DB,
    { municipalityId: facts.id, requestId, now: clockNow() },
    {
      ...{ names, readAt: facts.readAt, ...(await withoutPlate(env, facts.code, sent)) },
      paymentId: body.payment_id,
      plate,
      terminalCode: body.terminal_code ?? null,
      planCode: body.codice_tariffa,
      amountCents: body.importo_eurocent,
      expectedCents,
      collectedAt,
      sentCollectedAt: body.collected_at,
      resultCode,
      operation: purchase?.operation ?? null,
      subscriptionId: meant?.id ?? null,
      startsAt: purchase?.period.startsAt ?? null,
      endsAt: purchase?.period.endsAt ?? null,
    },
  );
  if (stored === null) return null;
  const subscriptionNumber = meant?.subscription.subscriptionNumber ?? null;
  return { payment: { ...stored, subscriptionNumber }, isFirst: true };
}

/** Judges by the plan as it is configured now; where that does not fit, also as it was within the hour before the collection. */
async function judge(
  env: Env,
  { id, timeZone, held, sold }: JudgedFacts,
  { body, planCode, collectedAt }: Sent,
) {
  const payment = {
    collectedAt,
    planCode,
    amountCents: body.importo_eurocent,
    subscriptionNames: body.subscription_number === undefined ? null : namesOf(env, body.subscription_number),
    timeZone,
  };
  const verdict = decidePayment(payableWith(held, sold), payment);
  if (verdict.resultCode !== 'PLAN_NOT_FOUND' && verdict.resultCode !== 'AMOUNT_MISMATCH') return verdict;
  const before = await readSoldBefore(env.DB, id, planCode, collectedAt);
  return decidePayment(payableWith(held, [...sold, ...before]), payment);
}

/** Replaces a text that spells an erased plate. */
const MASK = '***';

/** The plate's digests, by which an erased plate is recognised, and the values that are stored in its place. */
async function withoutPlate(env: Env, code: string, { body, plate }: Sent) {
  const keys = digestKeys(env);
  const [key] = keys;
  const { payment_id: paymentId, terminal_code: terminal } = body;
  return {
    digests: await plateDigests(keys, code, plate),
    pseudonym: newPseudonym(),
    idWithoutPlate:
      key !== undefined && spellsPlate(paymentId, plate) ? keyDigest(key, paymentId) : paymentId,
    terminalWithoutPlate: terminal !== undefined && spellsPlate(terminal, plate) ? MASK : (terminal ?? null),
  };
}
