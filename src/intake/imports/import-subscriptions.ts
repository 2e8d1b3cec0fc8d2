import { keyIn, type SubscriptionImportQuery } from './contract.ts';
import { subscriptionBound } from './crowded-table.ts';
import { type ImportCall, inMunicipality, limitTime } from './import-call.ts';
import type { Imported } from './import-sessions.ts';
import { RejectedPlates, rememberRejected } from './rejected-plates.ts';
import { subscriptionRule } from './rules.ts';
import { type ImportKind, runImport } from './run-import.ts';
import { runInTurn } from './run-in-turn.ts';
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

type Call = ImportCall<SubscriptionImportQuery>;

/** Imports a file of a municipality's subscriptions. Subscriptions have no source, so no source's freshness changes. */
export function importSubscriptionFile(call: Call): Promise<Imported> {
  return runInTurn(call, async (file, pace) => {
    const query = await call.request.readQuery();
    return inMunicipality(call, query.municipality_code, async (municipality) => {
      const codes = await limitTime(call, readSubscriptionCodes(call.context.env.DB, municipality));
      const rejected = new RejectedPlates();
      const kind = subscriptions(call, municipality.id, codes, rejected);
      const answer = await runImport(file, kind, call.context.language, pace);
      const place = { municipality: municipality.code, municipalityId: municipality.id, source: null };
      await rememberRejected(call, pace, place, rejected);
      return { answer, municipality: municipality.code };
    });
  });
}

function subscriptions(
  call: Call,
  municipalityId: number,
  codes: SubscriptionCodes,
  rejected: RejectedPlates,
): ImportKind<SubscriptionRow> {
  const { DB: db } = call.context.env;
  const place = { municipalityId, names: { types: codesById(codes.types), areas: codesById(codes.areas) } };
  const { erased, ...batches } = storeBatches(call, subscriptionRule(bytesById(codes.areas)), {
    db,
    from: { municipalityId, sourceCode: '', kind: 'subscription' },
    read: (numbers) => readSubscriptions(db, municipalityId, numbers),
    write: (rows, by, stored) => writeSubscriptions(db, place, rows, stored, by),
    bound: subscriptionBound(db, municipalityId, call.context.now),
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
