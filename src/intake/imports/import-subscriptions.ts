import { succeed } from '../../serving/answer.ts';
import type { Call, Validated } from '../../serving/call.ts';
import { IMPORT_BODY } from '../../serving/http/body.ts';
import { keyIn, type subscriptionImportQuery } from './contract.ts';
import { subscriptionBound } from './crowded-table.ts';
import {
  type ImportCall,
  importedInto,
  importWithinBounds,
  limitTime,
  PACE,
  readFile,
} from './import-call.ts';
import { RejectedPlates, rememberRejected } from './rejected-plates.ts';
import { subscriptionRule } from './rules.ts';
import { type ImportKind, judgingAlone, runImport } from './run-import.ts';
import { storeBatches } from './stored-batches.ts';
import {
  readSubscriptionLine,
  SHORTEST_SUBSCRIPTION_LINE,
  type SubscriptionCodes,
  type SubscriptionRow,
} from './subscription-line.ts';
import { weightOfSubscription } from './subscriptions-statements.ts';
import {
  bytesById,
  codesById,
  countFitting,
  readSubscriptions,
  writeSubscriptions,
} from './subscriptions-table.ts';
import { readSubscriptionCodes } from './target-table.ts';

/** Imports a file of a municipality's subscriptions. Subscriptions have no source, so no source's freshness changes. */
export async function importSubscriptionFile(
  c: Call<Validated<'query', typeof subscriptionImportQuery>>,
): Promise<Response> {
  const grant = await c.var.admission.granted;
  const { municipality_code: named, dry_run: isDry } = c.req.valid('query');
  const municipality = await importedInto(c, grant, named);
  const { id, code } = municipality;
  const codes = await limitTime(readSubscriptionCodes(c.env.DB, municipality));

  const report = await importWithinBounds(c, grant, async (call) => {
    const file = await readFile(c.req.raw, IMPORT_BODY);
    const rejected = new RejectedPlates();
    const kind = subscriptions(call, id, codes, rejected);
    const done = await runImport(file, isDry ? judgingAlone(kind) : kind, call.language, PACE);
    if (isDry) return done;
    await rememberRejected(call, PACE, { municipality: code, municipalityId: id, source: null }, rejected);
    return done;
  });
  return succeed(c, report);
}

function subscriptions(
  call: ImportCall,
  municipalityId: number,
  codes: SubscriptionCodes,
  rejected: RejectedPlates,
): ImportKind<SubscriptionRow> {
  const { DB: db } = call.env;
  const place = { municipalityId, names: { types: codesById(codes.types), areas: codesById(codes.areas) } };
  const { erased, ...batches } = storeBatches(call, subscriptionRule(bytesById(codes.areas)), {
    db,
    from: { municipalityId, sourceCode: '', kind: 'subscription' },
    read: (numbers) => readSubscriptions(db, municipalityId, numbers),
    write: (rows, by, stored) => writeSubscriptions(db, place, rows, stored, by),
    bound: subscriptionBound(db, municipalityId, call.now),
  });
  return {
    ...batches,
    shortestLine: SHORTEST_SUBSCRIPTION_LINE,
    keyOf: (line) => keyIn(line, 'subscription_number'),
    weightOf: weightOfSubscription,
    countFitting: (numbers, maxWeight) => countFitting(db, municipalityId, numbers, maxWeight),
    readLine: (value) => readSubscriptionLine(value, codes),
    noteRejected: (line) => rejected.note(line),
    withoutErased: (row) => erased.inSubscription(row),
  };
}
