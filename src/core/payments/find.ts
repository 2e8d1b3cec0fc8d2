import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { read } from '../../storage/db/batch.ts';
import { presentFound } from '../recorded-payments/present.ts';
import {
  CURSOR,
  type FindResponse,
  type findRequest,
  MAX_FOUND,
  type officeFindRequest,
} from './contract.ts';
import { FOUND_IN_WINDOW } from './payments-table.ts';
import type { FindPlace } from './place.ts';

/**
 * Answers a search with the payment of the key, if one is asked for, or with a page of those of a window: the day's closing, and the
 * fate of an answer that a collector lost.
 */
export const findPayments =
  (findPlace: FindPlace) =>
  async (c: JsonCall<typeof findRequest | typeof officeFindRequest>): Promise<Response> => {
    const { payment_id: id, ...window } = c.req.valid('json');
    const { payment, ...place } = await findPlace(c, c.req.valid('json'));
    const [, afterAt = -1, afterId = ''] = CURSOR.exec(window.after ?? '') ?? [];
    const alone = payment ? [payment] : [];
    const [found, totals] =
      id === undefined
        ? await read(c.env.DB, FOUND_IN_WINDOW, {
            ...{ code: place.code, from: window.from, until: window.until, state: window.state ?? null },
            ...{ terminalCode: window.terminal_code ?? null, afterAt: Number(afterAt), afterId },
          })
        : [alone, alone.map(({ state, amountCents }) => ({ state, count: 1, eurocent: amountCents }))];
    const listed = found.slice(0, MAX_FOUND);
    const last = listed.at(-1);
    const none = { count: 0, eurocent: 0 };
    const answer: FindResponse = {
      payments: listed.map((payment) => presentFound(payment, place, c.get('language'))),
      next: found.length > MAX_FOUND && last ? `${last.collectedAt}.${last.paymentId}` : null,
      totals: { accepted: none, unsettled: none, settled: none, reversed: none },
    };
    for (const { state: of, ...total } of totals) answer.totals[of] = total;
    return succeed(c, answer);
  };
