import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { parkingSessions, subscriptions } from '../db/schema/index.ts';
import { parameter, tableByIndex } from '../db/sql.ts';
import type { ErasedFrom } from '../plate-digest/erased-plate.ts';

export type Kind = ErasedFrom['kind'];

/** Where plates are erased from, by its key. */
interface Keyed {
  readonly keyed: typeof parkingSessions | typeof subscriptions;
  readonly byKey: string;
  readonly source: SQLWrapper;
  readonly key: SQLiteColumn;
}

export const KEYED: Readonly<Record<Kind, Keyed>> = {
  parking_session: {
    keyed: parkingSessions,
    byKey: 'parking_sessions_key',
    source: parkingSessions.sourceCode,
    key: parkingSessions.sessionId,
  },
  subscription: {
    keyed: subscriptions,
    byKey: 'subscriptions_number',
    source: sql.raw(`''`),
    key: subscriptions.subscriptionNumber,
  },
};

/**
 * A subject: municipality, kind, source, key, digest of key and plate, digest of the key, the same once more where it takes
 * the key's place, and the pseudonym.
 */
export const value = (index: number): SQL => sql.raw(`subject.value ->> ${index}`);
export const NEW_KEY = value(6);
export const PSEUDONYM = value(7);

export const isOf = (kind: Kind): SQL => sql.raw(`subject.value ->> 1 = '${kind}'`);

/** The subjects of a kind that are stored, by the `keyed` of it; parameter 1 is a JSON list of subjects. A condition may follow. */
export function subjectsOf(kind: Kind): SQL {
  const { keyed, byKey, source, key } = KEYED[kind];
  return sql`json_each(${parameter(1)}) as subject
  cross join ${tableByIndex(keyed, byKey)} on ${keyed.municipalityId} = ${value(0)}${
    kind === 'parking_session' ? sql` and ${source} = ${value(2)}` : sql``
  } and ${key} = ${value(3)} where ${isOf(kind)}`;
}
