import type { Language } from '../../base/text/text.ts';
import type { Env } from '../../env.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { read } from '../../storage/db/batch.ts';
import { namesOf } from '../../storage/plate-digest/names.ts';
import { presentFound } from '../recorded-payments/present.ts';
import { CURSOR, type FindRequest, type FindResponse, type findRequest, MAX_FOUND } from './contract.ts';
import { FOUND_IN_WINDOW, type PlaceAndPayment, readPayment } from './payments-table.ts';

/** Answers a collector's search: the day's closing, and the fate of an answer that it lost. */
export async function findPayments(c: JsonCall<typeof findRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const names = soughtNames(c.env, body);
  const beside = factsBesideGrant(c, body.municipality_code, (code) => readPayment(c.env.DB, code, names));
  const place = await beside.within(await c.get('admission').granted);
  return succeed(c, await find(c.env, place, body, c.get('language')));
}

/** What the payment of a search for a key may be stored under. */
export const soughtNames = (env: Env, { payment_id: id }: FindRequest): readonly string[] =>
  id === undefined ? [] : namesOf(env, id);

/** Answers with the payment of the key, if one is asked for, or with a page of those of a window. */
export async function find(
  { DB }: Env,
  { payment, ...place }: PlaceAndPayment,
  { payment_id: id, ...window }: FindRequest,
  language: Language,
): Promise<FindResponse> {
  const [, afterAt = -1, afterId = ''] = CURSOR.exec(window.after ?? '') ?? [];
  const alone = payment ? [payment] : [];
  const [found, totals] =
    id === undefined
      ? await read(DB, FOUND_IN_WINDOW, {
          ...{ code: place.code, from: window.from, until: window.until, state: window.state ?? null },
          ...{ terminalCode: window.terminal_code ?? null, afterAt: Number(afterAt), afterId },
        })
      : [alone, alone.map(({ state, amountCents }) => ({ state, count: 1, eurocent: amountCents }))];
  const listed = found.slice(0, MAX_FOUND);
  const last = listed.at(-1);
  const none = { count: 0, eurocent: 0 };
  const answer: FindResponse = {
    payments: listed.map((payment) => presentFound(payment, place, language)),
    next: found.length > MAX_FOUND && last ? `${last.collectedAt}.${last.paymentId}` : null,
    totals: { accepted: none, unsettled: none, settled: none, reversed: none },
  };
  for (const { state: of, ...total } of totals) answer.totals[of] = total;
  return answer;
}
