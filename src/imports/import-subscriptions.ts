import type { Instant } from '../domain/instant.ts';
import type { Env } from '../env.ts';
import { whereWritable } from '../errors/municipality-moving.ts';
import { clockNow } from '../platform/clock.ts';
import { bytesById, codesById } from './codes.ts';
import type { SubscriptionImportQuery } from './contract.ts';
import { readDayRoom } from './daily-changes-table.ts';
import { DailyRoom } from './day-room.ts';
import { ErasedPlates } from './erased.ts';
import { keyIn } from './fields.ts';
import { type ImportCall, inMunicipality, type LocatedMunicipality, limitTime } from './import-call.ts';
import type { Imported } from './import-sessions.ts';
import { subscriptionRule } from './rules.ts';
import { type ImportKind, runImport } from './run-import.ts';
import { runInTurn } from './run-in-turn.ts';
import type { StoredBy } from './stored-by.ts';
import {
  readSubscriptionLine,
  SHORTEST_SUBSCRIPTION_LINE,
  type SubscriptionCodes,
  type SubscriptionRow,
} from './subscription-line.ts';
import { countFitting, readSubscriptions, writeSubscriptions } from './subscriptions-table.ts';
import { readSubscriptionCodes } from './target-table.ts';
import { weightOfSubscription } from './weights.ts';

/** Imports a file of a municipality's subscriptions. They have no source, and move the freshness of none. */
export function importSubscriptionFile(call: ImportCall<SubscriptionImportQuery>): Promise<Imported> {
  const { env, now, requestId, language } = call.context;
  return runInTurn(call, async (file, pace) => {
    const query = await call.request.readQuery();
    return inMunicipality(call, query.municipality_code, async (located) => {
      const codes = await limitTime(call, readSubscriptionCodes(located.db, located.municipality));
      const kind = subscriptions(env, located, codes, { changedAt: now, requestId, clock: clockNow });
      return {
        report: await runImport(file, kind, language, pace),
        municipality: located.municipality.code,
      };
    });
  });
}

function subscriptions(
  env: Env,
  { municipality, db }: LocatedMunicipality,
  codes: SubscriptionCodes,
  by: StoredBy & { readonly changedAt: Instant },
): ImportKind<SubscriptionRow> {
  const erased = new ErasedPlates(env, {
    municipalityId: municipality.id,
    sourceCode: '',
    kind: 'subscription',
  });
  const room = new DailyRoom((day) => readDayRoom(db, municipality.id, day));
  const names = { types: codesById(codes.types), areas: codesById(codes.areas) };
  return {
    rule: subscriptionRule({ types: bytesById(codes.types), areas: bytesById(codes.areas) }),
    shortestLine: SHORTEST_SUBSCRIPTION_LINE,
    keyOf: (line) => keyIn(line, 'subscription_number'),
    weightOf: weightOfSubscription,
    countFitting: (numbers, mostWeight) => countFitting(db, municipality.id, numbers, mostWeight),
    readLine: (value) => readSubscriptionLine(value, codes),
    withoutErased: (row) => erased.inSubscription(row),
    readRows: (numbers) => erased.begin(numbers, (names) => readSubscriptions(db, municipality.id, names)),
    readRoom: () => room.begin(clockNow()),
    writeRows: (rows, ofBatch) =>
      room.count(ofBatch, (count) =>
        whereWritable(() =>
          writeSubscriptions(db, { municipalityId: municipality.id, names }, rows, {
            ...by,
            erasedUpTo: erased.upTo,
            guards: erased.guardsOf(rows.map(({ subscriptionNumber }) => subscriptionNumber)),
            count,
          }),
        ),
      ),
  };
}
