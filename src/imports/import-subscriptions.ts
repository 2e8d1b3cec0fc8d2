import { requireContentType } from '../http/body.ts';
import type { AppContext } from '../http/context.ts';
import { answer } from '../http/envelope.ts';
import { admitted, inTime, municipalityOf, queryOf } from './call.ts';
import { keyIn } from './fields.ts';
import { inTurn } from './in-turn.ts';
import type { ImportPlaces } from './place.ts';
import { subscriptionRule } from './rules.ts';
import { type ImportKind, runImport } from './run-import.ts';
import { type ImportResponse, NDJSON, subscriptionImportQuery } from './schemas.ts';
import {
  readSubscriptionLine,
  SHORTEST_SUBSCRIPTION_LINE,
  type SubscriptionCodes,
  type SubscriptionRow,
} from './subscription-line.ts';
import { readSubscriptions, writeSubscriptions } from './subscriptions-table.ts';
import type { Municipality } from './target.ts';
import { readSubscriptionCodes } from './target-table.ts';

/** Takes a file of a municipality's subscriptions. They have no source, and move the freshness of none. */
export async function importSubscriptions(c: AppContext, places: ImportPlaces): Promise<Response> {
  const credential = await admitted(c);
  requireContentType(c, NDJSON);
  const report = await inTurn(c, places, async (file, pace) => {
    const query = queryOf(c, subscriptionImportQuery);
    const municipality = await municipalityOf(c, credential, query.municipality_code);
    const codes = await inTime(c, readSubscriptionCodes(c.env.DB, municipality));
    return runImport(file, subscriptions(c.env.DB, municipality, codes), c.var.language, pace);
  });
  return answer(c, report satisfies ImportResponse);
}

function subscriptions(
  db: D1Database,
  municipality: Municipality,
  codes: SubscriptionCodes,
): ImportKind<SubscriptionRow> {
  return {
    rule: subscriptionRule,
    shortestLine: SHORTEST_SUBSCRIPTION_LINE,
    keyOf: (line) => keyIn(line, 'subscription_number'),
    readLine: (value) => readSubscriptionLine(value, codes),
    readRows: (numbers) => readSubscriptions(db, municipality.id, numbers),
    writeRows: (rows) => writeSubscriptions(db, municipality.id, rows),
  };
}
