import { refuse, refuseFields } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { presentFound } from '../recorded-payments/present.ts';
import type { officeFindRequest, settlementRequest } from './contract.ts';
import { presentPayments, selectedBy } from './find.ts';
import { type FoundPayments, readPayments, type Selected } from './found-table.ts';
import { namesOf, storeSettlement } from './payment-table.ts';
import { inTries } from './tries.ts';

/** Answers a search by the office. */
export async function findPaymentsForTheOffice(c: JsonCall<typeof officeFindRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const { municipality_code: code } = body;
  const selected = selectedBy(c.env, body);
  const bounds = await c.var.bounds;
  await bounds.requireMunicipalities([code]);
  const found = await findForTheOffice(c.env.DB, code, selected);
  c.var.log.municipalityCode = code;
  return succeed(c, presentPayments(found, c.var.language));
}

/** Answers a settlement: the office has refunded what made no period, or corrected the title. */
export async function settlePayment(c: JsonCall<typeof settlementRequest>): Promise<Response> {
  const { municipality_code: code, payment_id: paymentId, outcome, note = null } = c.req.valid('json');
  const { requestId, now, language, log } = c.var;
  const bounds = await c.var.bounds;
  await bounds.requireMunicipalities([code]);
  const find = () => findForTheOffice(c.env.DB, code, { names: namesOf(c.env, paymentId) });
  let isOwn = false;
  const { payment, place } = await inTries(await find(), find, async (found) => {
    const [stored] = found.payments;
    if (stored === undefined) return refuse('NOT_FOUND', { message: UNKNOWN_PAYMENT });
    if (stored.state === 'settled' && isOwn) return { payment: stored, place: found.place };
    if (stored.state !== 'unsettled') refuseFields([{ path: 'payment_id', message: NOT_UNSETTLED }]);
    const by = { municipalityId: found.place.id, requestId, now };
    isOwn = true;
    const recordedAt = await storeSettlement(c.env.DB, by, stored.paymentId, { outcome, note });
    isOwn = recordedAt !== null;
    const settled = { outcome, note, at: now };
    return recordedAt === null
      ? null
      : { payment: { ...stored, state: 'settled' as const, settled }, place: found.place };
  });
  log.municipalityCode = code;
  log.target = code;
  return succeed(c, { payment: presentFound(payment, place, language) });
}

/**
 * The payments of a municipality.
 *
 * @throws Refusal `NOT_FOUND` for an unknown municipality
 */
async function findForTheOffice(db: D1Database, code: string, selected: Selected): Promise<FoundPayments> {
  const { found } =
    (await readPayments(db, code, selected)) ?? refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
  return found;
}

const UNKNOWN_PAYMENT = {
  en: 'The municipality has no payment with this payment_id.',
  it: 'Il comune non ha un pagamento con questo payment_id.',
};
const NOT_UNSETTLED = {
  en: 'must name an unsettled payment',
  it: 'deve indicare un pagamento in attesa di definizione',
};
