import type { Language } from '../../base/text/text.ts';
import type { Env } from '../../env.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { read } from '../../storage/db/batch.ts';
import { namesOf } from '../../storage/plate-digest/names.ts';
import { presentFound } from '../recorded-payments/present.ts';
import { CURSOR, type FindRequest, type FindResponse, type findRequest, MAX_FOUND } from './contract.ts';
import { FOUND_BY_KEY, FOUND_IN_WINDOW, type PaymentPlace, readPlace } from './payments-table.ts';

/** Answers a collector's search: the day's closing, and the fate of an answer that it lost. */
export async function findPayments(c: JsonCall<typeof findRequest>): Promise<Response> {
  const body = c.req.valid('json');
  const beside = factsBesideGrant(c, body.municipality_code, (code) => readPlace(c.env.DB, code));
  const place = await beside.within(await c.get('admission').granted);
  return succeed(c, await find(c.env, place, body, c.get('language')));
}

/** Finds the payment of a key, or a page of those of a window. Returns the answer. */
export async function find(
  env: Env,
  place: PaymentPlace,
  { payment_id: id, ...window }: FindRequest,
  language: Language,
): Promise<FindResponse> {
  const { code } = place;
  const [, afterAt = -1, afterId = ''] = CURSOR.exec(window.after ?? '') ?? [];
  const [found, totals] =
    id === undefined
      ? await read(env.DB, FOUND_IN_WINDOW, {
          ...{ code, from: window.from, until: window.until, state: window.state ?? null },
          ...{ terminalCode: window.terminal_code ?? null, afterAt: Number(afterAt), afterId },
        })
      : await read(env.DB, FOUND_BY_KEY, { code, names: JSON.stringify(namesOf(env, id)) });
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
