import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { LIVING_IDS } from '../admin/living-parts.ts';
import {
  appendToJournal,
  firstVersionOf,
  isAboutOwnPlate,
  newestOfPlate,
  recordedAt,
  SESSION_HISTORY,
} from '../db/journal-sql.ts';
import {
  erasedPlates,
  journal,
  moves,
  parkingSessions,
  subscriptionPlates,
  subscriptions,
} from '../db/schema/index.ts';
import { bare, jsonObject, parameter, statement, tableAs, tableByIndex } from '../db/sql.ts';
import { requireNotStopped } from '../db/writable.ts';
import { sessionGuardedUntil, subscriptionGuardedUntil } from '../plate-digest/guard-parts.ts';

const ONE = parameter(1);
const TWO = parameter(2);
const THREE = parameter(3);

const SUBJECT = jsonObject({
  municipalityId: sql.raw('municipalityId'),
  kind: sql.raw('kind'),
  sourceCode: sql.raw('sourceCode'),
  key: sql.raw('key'),
});

/**
 * 1: ids of municipalities, a JSON list; 2: the plate; 3: how many. What has the plate, each once, and the municipalities that
 * live here, each as a JSON list: an invocation may send D1 a thousand statements, and this is asked of every database.
 */
export const SUBJECTS = statement(
  () => sql`select ${LIVING_IDS} as living, json_group_array(${SUBJECT}) as subjects from (
select ${parkingSessions.municipalityId} as municipalityId, 'parking_session' as kind,
    ${parkingSessions.sourceCode} as sourceCode, ${parkingSessions.sessionId} as key
  from json_each(${ONE}) as held
  cross join ${tableByIndex(parkingSessions, 'parking_sessions_by_plate')} on ${parkingSessions.municipalityId} = held.value and ${parkingSessions.plate} = ${TWO}
union
select ${journal.municipalityId}, ${journal.kind}, coalesce(${journal.sourceCode}, ''), ${journal.key}
  from json_each(${ONE}) as held
  cross join ${tableByIndex(journal, 'journal_by_plate')} on ${journal.municipalityId} = held.value and ${journal.plate} = ${TWO}
union
select ${subscriptionPlates.municipalityId}, 'subscription', '', ${subscriptions.subscriptionNumber}
  from json_each(${ONE}) as held
  cross join ${tableByIndex(subscriptionPlates, 'subscription_plates_by_plate')} on ${subscriptionPlates.municipalityId} = held.value and ${subscriptionPlates.plate} = ${TWO}
  cross join ${subscriptions} on ${subscriptions.id} = ${subscriptionPlates.subscriptionId}
limit ${THREE})`,
);

/**
 * Of all that follow, 1 is a JSON list of subjects: municipality, kind, source, key, digest of key and plate, digest of the
 * key, the same once more where it takes the key's place, and the pseudonym. 2: the plate.
 */
const of = (kind: 'parking_session' | 'subscription') =>
  sql`json_each(${ONE}) as subject`.append(sql.raw(` cross join (select '${kind}' as kind) as wanted`));
const value = (index: number) => sql.raw(`subject.value ->> ${index}`);
const isKind = sql.raw(`subject.value ->> 1 = wanted.kind`);
const PSEUDONYM = value(7);

const SESSIONS_BY_KEY = tableByIndex(parkingSessions, 'parking_sessions_key');
const SUBSCRIPTIONS_BY_KEY = tableByIndex(subscriptions, 'subscriptions_number');
const PLATES_OF_SUBSCRIPTION = tableByIndex(subscriptionPlates, 'subscription_plates_by_subscription');

const municipalityIds = sql`select ${value(0)} from json_each(${ONE}) as subject`;

export const REQUIRE_NOT_STOPPED = statement(() => requireNotStopped(municipalityIds));

/** A copy that is being made of them begins again: the journal does not say which of its rows have been erased. */
export const MAKE_COPIES_STALE = statement(
  () =>
    sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (${municipalityIds})`,
);

const GUARDED = { municipality: value(0), source: value(2), key: value(3) };

/** 2: now, when the erasure is recorded: what it guards is kept from then on, though it has ended long ago. */
export const KEEP_ERASED = statement(
  () => sql`insert into ${erasedPlates} (${bare(erasedPlates.municipalityId)}, ${bare(erasedPlates.kind)},
  ${bare(erasedPlates.sourceCode)}, ${bare(erasedPlates.key)}, ${bare(erasedPlates.digest)}, ${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)})
select ${value(0)}, ${value(1)}, ${value(2)}, ${value(5)}, ${value(4)}, iif(${value(1)} = 'parking_session', ${PSEUDONYM}, null),
  max(${TWO}, coalesce(
    iif(${value(1)} = 'parking_session', ${sessionGuardedUntil(GUARDED)}, ${subscriptionGuardedUntil(GUARDED)}), ${TWO}))
from json_each(${ONE}) as subject where true
on conflict do update set ${bare(erasedPlates.pseudonym)} = excluded.${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)} = excluded.${bare(erasedPlates.guardsUntil)}`,
);

/** 3: now. A right that ends is recorded: the plate has left, and a pseudonym replaces it. */
const ENDED = { municipalityId: value(0), kind: value(1), recordedAt: recordedAt(THREE), plate: PSEUDONYM };

export const APPEND_ERASED_SESSIONS = statement(() =>
  appendToJournal(
    {
      ...ENDED,
      sourceCode: sql`${parkingSessions.sourceCode}`,
      key: sql`${parkingSessions.sessionId}`,
      leftAreaId: sql`${parkingSessions.areaId}`,
      ...firstVersionOf(parkingSessions),
    },
    sql`from ${of('parking_session')}
cross join ${SESSIONS_BY_KEY} on ${parkingSessions.municipalityId} = ${value(0)}
  and ${parkingSessions.sourceCode} = ${value(2)} and ${parkingSessions.sessionId} = ${value(3)}
where ${isKind} and ${parkingSessions.plate} = ${TWO}`,
  ),
);

const subscriptionIds = sql`select ${subscriptions.id} from ${of('subscription')}
cross join ${SUBSCRIPTIONS_BY_KEY} on ${subscriptions.municipalityId} = ${value(0)} and ${subscriptions.subscriptionNumber} = ${value(3)}
where ${isKind}`;

const change = alias(journal, 'change');
const session = alias(parkingSessions, 'session');

/** The row with which the plate came on its subscription: its history has the pseudonym by now, and names the same right. */
const CAME_WITH = newestOfPlate(
  change,
  { municipality: value(0), number: value(3), plate: PSEUDONYM },
  sql`coalesce(${change.cameWith}, ${change.sequence})`,
);

/** Run it after {@link ERASE_HISTORY}. */
export const APPEND_ERASED_SUBSCRIPTIONS = statement(() =>
  appendToJournal(
    { ...ENDED, key: sql`${subscriptions.subscriptionNumber}`, cameWith: CAME_WITH },
    sql`from ${of('subscription')}
cross join ${SUBSCRIPTIONS_BY_KEY} on ${subscriptions.municipalityId} = ${value(0)} and ${subscriptions.subscriptionNumber} = ${value(3)}
where ${isKind} and exists (select 1 from ${PLATES_OF_SUBSCRIPTION}
  where ${subscriptionPlates.subscriptionId} = ${subscriptions.id} and ${subscriptionPlates.plate} = ${TWO})`,
  ),
);

/** Materialized, and its column with a sign, or the planner looks through the whole table for it. */
const found = (select: SQL): SQL => sql`with found as materialized (${select})`;

/** By the plate alone, each subject would read the plate's whole history; by the key alone, a fleet's the fleet's. */
export const ERASE_HISTORY = statement(
  () => sql`${found(sql`
  select ${change.sequence} as sequence, ${PSEUDONYM} as pseudonym from ${of('parking_session')}
  cross join ${tableAs(journal, change, 'journal_by_key')} on ${change.municipalityId} = ${value(0)} and ${change.sourceCode} = ${value(2)}
    and ${change.key} = ${value(3)} and ${change.kind} = 'parking_session' and +${change.plate} = ${TWO}
  where ${isKind}
  union all
  select ${change.sequence}, ${PSEUDONYM} from ${of('subscription')}
  cross join ${tableAs(journal, change, 'journal_by_title')} on ${change.municipalityId} = ${value(0)} and ${change.kind} = 'subscription'
    and ${change.key} = ${value(3)} and ${change.plate} = ${TWO}
  where ${isKind}`)}
update ${journal} set ${bare(journal.plate)} = found.pseudonym,
  ${bare(journal.record)} = iif(${journal.kind} = 'parking_session', json_set(${journal.record}, '$.plate', found.pseudonym), ${journal.record})
from found where ${journal.sequence} = +found.sequence returning 1 + (${bare(journal.firstAt)} is not null) as erased`,
);

/** How many rows lose the plate together with their sessions, since these alone have it. To be run before {@link ERASE_SESSIONS}. */
export const COUNT_OWN_HISTORY = statement(
  () => sql`select count(${change.sequence}) + count(${change.firstAt}) + count(distinct iif(${parkingSessions.knownAt} is null, null, ${parkingSessions.id})) as erased
from ${of('parking_session')}
cross join ${SESSIONS_BY_KEY} on ${parkingSessions.municipalityId} = ${value(0)}
  and ${parkingSessions.sourceCode} = ${value(2)} and ${parkingSessions.sessionId} = ${value(3)}
left join ${tableAs(journal, change, SESSION_HISTORY)} on ${isAboutOwnPlate(change, parkingSessions)}
where ${isKind} and ${parkingSessions.plate} = ${TWO}`,
);

export const ERASE_SESSIONS = statement(
  () => sql`${found(sql`select ${session.id} as id, ${PSEUDONYM} as pseudonym from ${of('parking_session')}
  cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')} on ${session.municipalityId} = ${value(0)} and ${session.sourceCode} = ${value(2)} and ${session.sessionId} = ${value(3)}
  where ${isKind} and +${session.plate} = ${TWO}`)}
update ${parkingSessions} set ${bare(parkingSessions.plate)} = found.pseudonym,
  ${bare(parkingSessions.knownAt)} = null, ${bare(parkingSessions.knownBy)} = null
from found where ${parkingSessions.id} = +found.id returning 1 as erased`,
);

export const ERASE_SUBSCRIPTIONS = statement(
  () => sql`delete from ${PLATES_OF_SUBSCRIPTION}
where ${subscriptionPlates.plate} = ${TWO} and ${subscriptionPlates.subscriptionId} in (${subscriptionIds})
returning ${bare(subscriptionPlates.subscriptionId)} as erased`,
);
