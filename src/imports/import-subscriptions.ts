import type { Instant } from '../domain/instant.ts';
import { whereWritable } from '../errors/municipality-moving.ts';
import { clockNow } from '../platform/clock.ts';
import { codesById } from './codes.ts';
import { ErasedPlates } from './erased.ts';
import { keyIn } from './fields.ts';
import { type ImportCall, inMunicipality, inTime } from './import-call.ts';
import type { Imported } from './import-sessions.ts';
import { inTurn } from './in-turn.ts';
import { subscriptionRule } from './rules.ts';
import { type ImportKind, runImport } from './run-import.ts';
import type { SubscriptionImportQuery } from './schemas.ts';
import type { StoredBy } from './stored-by.ts';
import {
  readSubscriptionLine,
  SHORTEST_SUBSCRIPTION_LINE,
  type SubscriptionCodes,
  type SubscriptionRow,
} from './subscription-line.ts';
import { readSubscriptions, writeSubscriptions } from './subscriptions-table.ts';
import { type Municipality, readSubscriptionCodes } from './target-table.ts';

/** Imports a file of a municipality's subscriptions. They have no source, and move the freshness of none. */
export function importSubscriptionFile(call: ImportCall<SubscriptionImportQuery>): Promise<Imported> {
  const { env, now, requestId, language } = call.context;
  return inTurn(call, async (file, pace) => {
    const query = await call.request.readQuery();
    return inMunicipality(call, query.municipality_code, async ({ municipality, db }) => {
      const { codes, erased } = await inTime(call, readSubscriptionCodes(db, municipality));
      const from = { municipalityId: municipality.id, sourceCode: '', kind: 'subscription' } as const;
      const by = { requestId, clock: clockNow };
      const plates = new ErasedPlates(env, from, erased);
      const kind = subscriptions(db, municipality, codes, now, by, plates);
      return {
        report: await runImport(file, kind, language, pace),
        municipality: municipality.code,
      };
    });
  });
}

function subscriptions(
  db: D1Database,
  municipality: Municipality,
  codes: SubscriptionCodes,
  now: Instant,
  by: StoredBy,
  erased: ErasedPlates,
): ImportKind<SubscriptionRow> {
  const names = { types: codesById(codes.types), areas: codesById(codes.areas) };
  return {
    rule: subscriptionRule,
    shortestLine: SHORTEST_SUBSCRIPTION_LINE,
    keyOf: (line) => keyIn(line, 'subscription_number'),
    readLine: (value) => readSubscriptionLine(value, codes),
    withoutErased: (row) => erased.inSubscription(row),
    readRows: (numbers) => readSubscriptions(db, municipality.id, numbers),
    writeRows: (rows) =>
      whereWritable(() =>
        writeSubscriptions(db, { municipalityId: municipality.id, names }, rows, { changedAt: now, ...by }),
      ),
  };
}
