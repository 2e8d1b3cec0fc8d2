import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  appendFirstVersions,
  appendToJournal,
  keepPlates,
  recordedAt,
  SESSION_HISTORY,
} from '../db/journal-sql.ts';
import { erasedPlates, erasureKeys, journal, parkingSessions, subscriptions } from '../db/schema/index.ts';
import { bare, parameter, primaryKeyOf, statement, tableAs, tableByIndex } from '../db/sql.ts';

/**
 * In all statements below, parameter 1 is a JSON list of subjects, as in `subjects-statements.ts`. A subject whose key is made
 * from the plate ends with a new key.
 */
const value = (index: number): SQL => sql.raw(`subject.value ->> ${index}`);
const RENAMED = sql`json_each(${parameter(1)}) as subject`;
const NEW_KEY = value(6);
const isRenamed = (kind: 'parking_session' | 'subscription'): SQL =>
  sql`${value(1)} = ${sql.raw(`'${kind}'`)} and ${NEW_KEY} is not null`;

const session = alias(parkingSessions, 'session');
const subscription = alias(subscriptions, 'subscription');
const change = alias(journal, 'change');

const isOfSession = sql`${session.municipalityId} = ${value(0)} and ${session.sourceCode} = ${value(2)} and ${session.sessionId} = ${value(3)}`;
const isOfSubscription = sql`${subscription.municipalityId} = ${value(0)} and ${subscription.subscriptionNumber} = ${value(3)}`;
const isOfHistory = sql`${change.municipalityId} = ${value(0)} and ${change.sourceCode} is nullif(${value(2)}, '')
  and ${change.key} = ${value(3)} and ${change.kind} = ${value(1)}`;

const ofSession = (column: SQL): SQL =>
  sql`select ${value(0)} as municipality, ${value(1)} as kind, ${column} as area from ${RENAMED}`;

/**
 * 2: now. A right's id in a gate's list is made from its key, which is gone. A row without a key, in every facility whose list
 * may have the right, makes the gate take the full list again.
 */
export const APPEND_RENAMED = statement(() =>
  appendToJournal(
    {
      municipalityId: sql.raw('municipality'),
      kind: sql.raw('kind'),
      recordedAt: recordedAt(parameter(2)),
      leftAreaId: sql.raw('area'),
    },
    sql`from (
  ${ofSession(sql`${session.areaId}`)} cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')} on ${isOfSession} where ${isRenamed('parking_session')}
  union
  ${ofSession(sql`${change.areaId}`)} cross join ${tableAs(journal, change, SESSION_HISTORY)} on ${isOfHistory}
    where ${isRenamed('parking_session')} and ${change.areaId} is not null
  union
  ${ofSession(sql`${change.leftAreaId}`)} cross join ${tableAs(journal, change, SESSION_HISTORY)} on ${isOfHistory}
    where ${isRenamed('parking_session')} and ${change.leftAreaId} is not null
  union
  ${ofSession(sql`null`)} where ${isRenamed('subscription')}
)`,
  ),
);

/** 2: the erasure's digest. */
export const KEEP_KEYS = statement(
  () => sql`insert into ${erasureKeys} (${bare(erasureKeys.digest)}, ${bare(erasureKeys.key)})
select ${parameter(2)}, ${value(3)} from ${RENAMED} where ${NEW_KEY} is not null on conflict do nothing`,
);
/** 1: the erasure's digest; likewise below. */
export const KEYS = statement(
  () =>
    sql`select ${erasureKeys.key} as key from ${tableByIndex(erasureKeys, primaryKeyOf(erasureKeys))} where ${erasureKeys.digest} = ${parameter(1)}`,
);
export const END_KEYS = statement(
  () =>
    sql`delete from ${tableByIndex(erasureKeys, primaryKeyOf(erasureKeys))} where ${erasureKeys.digest} = ${parameter(1)}`,
);

/** 1: ids of municipalities, 2: digests of keys, each a JSON list. What was erased under any of these keys. */
export const ERASED_UNDER = statement(
  () => sql`select ${erasedPlates.municipalityId} as municipalityId, ${erasedPlates.kind} as kind,
  ${erasedPlates.sourceCode} as sourceCode, ${erasedPlates.key} as key, ${erasedPlates.digest} as digest
from json_each(${parameter(1)}) as held
cross join ${tableByIndex(erasedPlates, 'erased_plates_digest')} on ${erasedPlates.municipalityId} = held.value
where +${erasedPlates.key} in (select value from json_each(${parameter(2)}))`,
);

/** Materialized, and its column with a sign, or the planner looks through the whole table for it. */
const found = (select: SQL): SQL => sql`with found as materialized (${select})`;

const REPLACED = sql`from ${RENAMED} cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')}
    on ${session.municipalityId} = ${value(0)} and ${session.sourceCode} = ${value(2)} and ${session.sessionId} = ${NEW_KEY}
      and ${isRenamed('parking_session')}`;

/** What is stored under the digest already is about to go: both are to be run before {@link RENAME_SESSIONS}. */
export const KEEP_REPLACED_PLATES = statement(() => keepPlates(session, REPLACED));
export const APPEND_REPLACED = statement(() => appendFirstVersions(session, REPLACED));

/** A row that is already stored under the digest is replaced by this one, which came later. */
export const RENAME_SESSIONS = statement(
  () => sql`${found(sql`select ${session.id} as id, ${NEW_KEY} as name from ${RENAMED}
  cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')} on ${isOfSession} where ${isRenamed('parking_session')}`)}
update or replace ${parkingSessions} set ${bare(parkingSessions.sessionId)} = found.name
from found where ${parkingSessions.id} = +found.id`,
);

export const RENAME_SUBSCRIPTIONS = statement(
  () => sql`${found(sql`select ${subscription.id} as id, ${NEW_KEY} as name from ${RENAMED}
  cross join ${tableAs(subscriptions, subscription, 'subscriptions_number')} on ${isOfSubscription} where ${isRenamed('subscription')}`)}
update or replace ${subscriptions} set ${bare(subscriptions.subscriptionNumber)} = found.name
from found where ${subscriptions.id} = +found.id`,
);

/** Run it after every statement that looks a history up by its key. */
export const RENAME_HISTORY = statement(
  () => sql`${found(sql`select ${change.sequence} as sequence, ${NEW_KEY} as name from ${RENAMED}
  cross join ${tableAs(journal, change, SESSION_HISTORY)} on ${isOfHistory} where ${NEW_KEY} is not null`)}
update ${journal} set ${bare(journal.key)} = found.name,
  ${bare(journal.record)} = json_set(${journal.record},
    iif(${journal.kind} = 'parking_session', '$.session_id', '$.subscription_number'), found.name)
from found where ${journal.sequence} = +found.sequence`,
);
