import { refuse } from '../../base/errors/refusal.ts';
import type { Instant } from '../../domain/instant.ts';
import { collectionInstant, decidePayment } from '../../domain/payment.ts';
import { normalizePlate, spellsPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { succeed } from '../../serving/answer.ts';
import type { Call, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { isPseudonym, keyDigest, newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { namesOf, requireKnownErasures } from '../../storage/plate-digest/names.ts';
import { digestKeys, plateDigests } from '../../storage/plate-digest/plate-digest.ts';
import type { StoredPayment } from '../recorded-payments/payment-table.ts';
import { presentPayment } from '../recorded-payments/present.ts';
import type { PaymentResponse, paymentRequest } from './contract.ts';
import { type PaymentFacts, readPaymentFacts, readSoldBefore } from './payments-table.ts';
import { RECORD, store } from './store-statements.ts';

/** @throws Refusal `COLLECTED_AT_IN_FUTURE` or `COLLECTED_AT_OUT_OF_RANGE` */
export function requireCollected(sent: Instant, now: Instant): Instant {
  const collected = collectionInstant(sent, now);
  return 'refused' in collected ? refuse(collected.refused) : collected.at;
}

/** Answers a payment, the first one or the same sent again. Its facts are read while the admission is being decided. */
export async function recordPayment(c: JsonCall<typeof paymentRequest>): Promise<Response> {
  const { env } = c;
  const sent = sentIn(c);
  const read = (code: string) => readPaymentFacts(env.DB, code, sent);
  const beside = factsBesideGrant(c, sent.body.municipality_code, read);

  const grant = await c.get('admission').granted;
  const facts = await beside.within(grant);
  requireKnownErasures(env, facts);

  const readAgain = async () => requireGranted(await read(facts.code), grant);
  const { payment, isStored } = await recordOnce(c, sent, facts, readAgain);
  // Of an erased plate no request is kept.
  if (isPseudonym(payment.plate)) c.set('whole', false);
  if (!isSamePayment(payment, sent)) refuse('PAYMENT_CONFLICT');
  c.get('log').outcome = payment.resultCode;
  return succeed(c, {
    api_version: '2.1',
    ...presentPayment(payment, facts, c.get('language')),
    // As it was sent: what is stored may be its digest.
    payment_id: sent.body.payment_id,
    already_recorded: !isStored,
  } satisfies PaymentResponse);
}

/** A payment that is asked to be recorded: the instant at which it is judged, and what it may be stored under. */
function sentIn(c: JsonCall<typeof paymentRequest>) {
  const body = c.req.valid('json');
  return {
    body,
    plate: normalizePlate(body.plate) ?? refuse('INVALID_PLATE'),
    collectedAt: requireCollected(body.collected_at, c.get('now')),
    names: namesOf(c.env, body.payment_id),
  };
}

type Sent = ReturnType<typeof sentIn>;

/** Attempts to judge a payment while other calls change its facts. */
const MAX_TRIES = 5;

/**
 * The payment under the key that was sent: one that is stored already, or else this one. If what it was judged by has changed before
 * it was stored, it is judged again.
 */
async function recordOnce(c: Call, sent: Sent, first: PaymentFacts, readAgain: () => Promise<PaymentFacts>) {
  let facts = first;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    if (facts.payment !== null) return { payment: facts.payment, isStored: false };
    const { payment, isStored } = await storeJudged(c, sent, facts);
    if (payment !== null) return { payment, isStored };
    facts = await readAgain();
  }
  throw new Error(`the data changed during each of ${MAX_TRIES} attempts`);
}

const isSamePayment = (stored: StoredPayment, { plate, body }: Sent): boolean =>
  (stored.plate === plate || isPseudonym(stored.plate)) &&
  stored.planCode === body.codice_tariffa &&
  stored.amountCents === body.importo_eurocent &&
  stored.sentCollectedAt === body.collected_at;

/** Judges a payment, and stores it if its key is free and what it was judged by has not changed. */
async function storeJudged(c: Call, sent: Sent, facts: PaymentFacts) {
  const { body, plate, collectedAt } = sent;
  const { resultCode, meant, expectedCents, purchase } = await judge(c.env, facts, sent);
  return store(c.env.DB, RECORD, facts, c.get('requestId'), {
    ...{ readAt: facts.readAt, ...withoutPlate(c.env, facts.code, sent) },
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
  });
}

/** Judges by the plan as it is configured now; where that does not fit, also as it was within the hour before the collection. */
async function judge(env: Env, { id, timeZone, held }: PaymentFacts, { body, collectedAt }: Sent) {
  const { codice_tariffa: planCode, importo_eurocent: amountCents, subscription_number: number } = body;
  const subscriptionNames = number === undefined ? null : namesOf(env, number);
  const payment = { collectedAt, planCode, amountCents, subscriptionNames, timeZone };
  const verdict = decidePayment(held, payment);
  if (verdict.resultCode !== 'PLAN_NOT_FOUND' && verdict.resultCode !== 'AMOUNT_MISMATCH') return verdict;
  const before = await readSoldBefore(env.DB, id, planCode, collectedAt);
  const heldThen = held.map((one) => ({
    ...one,
    plans: [...one.plans, ...before.filter(({ typeCode }) => typeCode === one.type.code)],
  }));
  return decidePayment(heldThen, payment);
}

/** Replaces a text that spells an erased plate. */
const MASK = '***';

/** The plate's digests, by which an erased plate is recognised, and the values that are stored in its place. */
function withoutPlate(env: Env, code: string, { body, plate }: Sent) {
  const keys = digestKeys(env);
  const [key] = keys;
  const { payment_id: paymentId, terminal_code: terminal } = body;
  return {
    digests: JSON.stringify(plateDigests(keys, code, plate)),
    pseudonym: newPseudonym(),
    idWithoutPlate:
      key !== undefined && spellsPlate(paymentId, plate) ? keyDigest(key, paymentId) : paymentId,
    terminalWithoutPlate: terminal !== undefined && spellsPlate(terminal, plate) ? MASK : (terminal ?? null),
  };
}
