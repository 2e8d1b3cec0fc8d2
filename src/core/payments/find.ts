import * as z from 'zod';
import { refuseFields } from '../../base/errors/refusal.ts';
import type { Language } from '../../base/text/text.ts';
import { DAY_MS } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { MISSING } from '../../serving/http/validation.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { namesOf } from '../../storage/plate-digest/names.ts';
import { type PaymentState, type StoredPayment, stateOf } from '../recorded-payments/payment-table.ts';
import { presentFound } from '../recorded-payments/present.ts';
import { type FindRequest, type FindResponse, type findRequest, MAX_FOUND } from './contract.ts';
import { type FoundPayments, type PaymentWindow, readPayment, readWindow } from './found-table.ts';

/** The longest window. */
const MAX_WINDOW_MS = 31 * DAY_MS;

/** That of a key, by what it may be stored under, or those of a window. */
type Selected = { readonly names: readonly string[] } | PaymentWindow;

const WINDOW = ['from', 'until', 'terminal_code', 'state', 'after'] as const;

/**
 * Which payments a request asks for.
 *
 * @throws Refusal `INVALID_REQUEST`
 */
export function selectedBy(env: Env, body: Omit<FindRequest, 'municipality_code'>): Selected {
  if (body.payment_id !== undefined) {
    const together = WINDOW.filter((name) => body[name] !== undefined);
    if (together.length > 0) {
      refuseFields(together.map((path) => ({ path, message: NOT_TOGETHER })));
    }
    return { names: namesOf(env, body.payment_id) };
  }
  const { from, until } = body;
  if (from === undefined || until === undefined) {
    const missing = (['from', 'until'] as const).filter((name) => body[name] === undefined);
    return refuseFields(missing.map((path) => ({ path, message: MISSING })));
  }
  if (until <= from || until - from > MAX_WINDOW_MS) {
    refuseFields([{ path: 'until', message: until <= from ? NOT_LATER : TOO_LONG }]);
  }
  return {
    ...{ from, until },
    terminalCode: body.terminal_code ?? null,
    state: body.state ?? null,
    ...(body.after === undefined ? { afterAt: -1, afterId: '' } : readCursor(body.after)),
  };
}

/** Finds what was asked for. Returns null for an unknown municipality. */
export async function readSelected(
  d1: D1Database,
  code: string,
  selected: Selected,
): Promise<FoundPayments | null> {
  if (!('names' in selected)) return readWindow(d1, code, selected);
  const found = await readPayment(d1, code, selected.names);
  return found && { ...found, ...alone(found.payment) };
}

const alone = (payment: StoredPayment | null): Pick<FoundPayments, 'payments' | 'totals'> =>
  payment === null
    ? { payments: [], totals: [] }
    : {
        payments: [payment],
        totals: [{ state: stateOf(payment), count: 1, eurocent: payment.amountCents }],
      };

/** Answers a collector's search: the day's closing, and the fate of an answer that it lost. */
export async function findPayments(c: JsonCall<typeof findRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const selected = selectedBy(c.env, body);
  const grant = await c.get('admission').granted;
  const code = await grantedCode(c.env.DB, grant, body.municipality_code);
  const found = requireGranted(await readSelected(c.env.DB, code, selected), grant);
  c.get('log').municipalityCode = code;
  return succeed(c, presentPayments(found, c.get('language')));
}

/** The answer: one payment more than it may have was looked for. */
export function presentPayments(found: FoundPayments, language: Language): FindResponse {
  const { payments, totals } = found;
  const listed = payments.slice(0, MAX_FOUND);
  const last = listed.at(-1);
  const isMore = payments.length > MAX_FOUND && last !== undefined;
  const total = (state: PaymentState) => {
    const { count, eurocent } = totals.find((one) => one.state === state) ?? { count: 0, eurocent: 0 };
    return { count, eurocent };
  };
  return {
    payments: listed.map((payment) => presentFound(payment, found, language)),
    next: isMore ? JSON.stringify([last.collectedAt, last.paymentId]) : null,
    totals: {
      accepted: total('accepted'),
      unsettled: total('unsettled'),
      settled: total('settled'),
      reversed: total('reversed'),
    },
  };
}

const cursor = z.tuple([z.int(), z.string()]);

function readCursor(after: string): Pick<PaymentWindow, 'afterAt' | 'afterId'> {
  try {
    const [afterAt, afterId] = cursor.parse(JSON.parse(after));
    return { afterAt, afterId };
  } catch {
    return refuseFields([{ path: 'after', message: BAD_CURSOR }]);
  }
}

const NOT_TOGETHER = {
  en: 'must not be sent together with payment_id',
  it: 'non va inviato insieme a payment_id',
};
const NOT_LATER = { en: 'must be later than from', it: 'deve essere successivo a from' };
const TOO_LONG = {
  en: 'must be at most 31 days later than from',
  it: 'deve seguire from di 31 giorni al massimo',
};
const BAD_CURSOR = {
  en: 'is not the `next` of a search for payments',
  it: 'non è il `next` di una ricerca di pagamenti',
};
