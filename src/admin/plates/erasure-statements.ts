import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { recordedAt } from '../../db/journal-sql.ts';
import {
  callLog,
  erasedPlates,
  erasures,
  journal,
  moves,
  parkingSessions,
  subscriptionPlates,
  subscriptions,
} from '../../db/schema/index.ts';
import { aliased, bare, parameter, statement } from '../../db/sql.ts';
import { requireNotStopped } from '../../db/writable.ts';
import { sessionGuardedUntil, subscriptionGuardedUntil } from '../../plate-digest/guard-parts.ts';

const ONE = parameter(1);
const TWO = parameter(2);
const THREE = parameter(3);
const FOUR = parameter(4);

/** 1: the erasure's digest; 2: a pseudonym; 3: now. One that is under way stays as it is. */
export const BEGIN = statement(
  () => sql`insert into ${erasures} (${bare(erasures.digest)}, ${bare(erasures.pseudonym)}, ${bare(erasures.callsUpTo)},
  ${bare(erasures.callsAfterId)}, ${bare(erasures.at)})
values (${ONE}, ${TWO}, -1, '', ${THREE}) on conflict do nothing`,
);
export const UNDER_WAY = statement(
  () => sql`select ${erasures.pseudonym} as pseudonym, ${erasures.callsUpTo} as calls_up_to, ${erasures.callsAfterId} as calls_after_id
from ${erasures} where ${erasures.digest} = ${ONE}`,
);
export const END = statement(() => sql`delete from ${erasures} where ${erasures.digest} = ${ONE}`);
/** 1: the erasure's digest; 2 and 3: the instant and the id of the last call that was looked at. */
export const KEEP_PLACE = statement(
  () => sql`update ${erasures} set ${bare(erasures.callsUpTo)} = ${TWO}, ${bare(erasures.callsAfterId)} = ${THREE}
where ${erasures.digest} = ${ONE}`,
);

/** 1: ids of municipalities, a JSON list; 2: the plate; 3: how many. What the plate stands in, each once. */
export const SUBJECTS = statement(
  () => sql`select ${parkingSessions.municipalityId} as municipalityId, 'parking_session' as kind,
    ${parkingSessions.sourceCode} as sourceCode, ${parkingSessions.sessionId} as key
  from json_each(${ONE}) as held
  cross join ${parkingSessions} on ${parkingSessions.municipalityId} = held.value and ${parkingSessions.plate} = ${TWO}
union
select ${journal.municipalityId}, ${journal.kind}, coalesce(${journal.sourceCode}, ''), ${journal.key}
  from json_each(${ONE}) as held
  cross join ${journal} on ${journal.municipalityId} = held.value and ${journal.plate} = ${TWO}
union
select ${subscriptionPlates.municipalityId}, 'subscription', '', ${subscriptions.subscriptionNumber}
  from json_each(${ONE}) as held
  cross join ${subscriptionPlates} on ${subscriptionPlates.municipalityId} = held.value and ${subscriptionPlates.plate} = ${TWO}
  cross join ${subscriptions} on ${subscriptions.id} = ${subscriptionPlates.subscriptionId}
limit ${THREE}`,
);

/**
 * Of all that follow, 1 is a JSON list of subjects: municipality, kind, source, key, digest of key and plate, digest of the
 * key, and once more where it takes the key's place. 2: the plate; 3: the pseudonym.
 */
const of = (kind: 'parking_session' | 'subscription') =>
  sql`json_each(${ONE}) as subject`.append(sql.raw(` cross join (select '${kind}' as kind) as wanted`));
const value = (index: number) => sql.raw(`subject.value ->> ${index}`);
const isKind = sql.raw(`subject.value ->> 1 = wanted.kind`);

const municipalityIds = sql`select ${value(0)} from json_each(${ONE}) as subject`;

export const REQUIRE_NOT_STOPPED = statement(() => requireNotStopped(municipalityIds));

/** A copy that is being made of them is begun anew: the journal does not tell which of its rows have been erased. */
export const MAKE_COPIES_STALE = statement(
  () =>
    sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (${municipalityIds})`,
);

const GUARDED = { municipality: value(0), source: value(2), key: value(3) };

/** 4: now, until when at least what is gone from the tables is guarded. */
export const KEEP_ERASED = statement(
  () => sql`insert into ${erasedPlates} (${bare(erasedPlates.municipalityId)}, ${bare(erasedPlates.kind)},
  ${bare(erasedPlates.sourceCode)}, ${bare(erasedPlates.key)}, ${bare(erasedPlates.digest)}, ${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)})
select ${value(0)}, ${value(1)}, ${value(2)}, ${value(5)}, ${value(4)}, iif(${value(1)} = 'parking_session', ${THREE}, null),
  coalesce(iif(${value(1)} = 'parking_session', ${sessionGuardedUntil(GUARDED)}, ${subscriptionGuardedUntil(GUARDED)}), ${FOUR})
from json_each(${ONE}) as subject where ${TWO} is not null
on conflict do update set ${bare(erasedPlates.pseudonym)} = excluded.${bare(erasedPlates.pseudonym)},
  ${bare(erasedPlates.guardsUntil)} = excluded.${bare(erasedPlates.guardsUntil)}`,
);

/** 4: now. A right that ends is told: the plate has left, whose place a pseudonym has. */
const append = (
  values: ReturnType<typeof sql>,
) => sql`insert into ${journal} (${bare(journal.municipalityId)}, ${bare(journal.kind)},
  ${bare(journal.recordedAt)}, ${bare(journal.sourceCode)}, ${bare(journal.key)}, ${bare(journal.plate)}, ${bare(journal.leftAreaId)},
  ${bare(journal.cameWith)})
select ${value(0)}, ${value(1)},
  ${recordedAt(FOUR)},
  ${values}`;

export const TELL_SESSIONS = statement(
  () => sql`${append(sql`${parkingSessions.sourceCode}, ${parkingSessions.sessionId}, ${THREE}, ${parkingSessions.areaId}, null`)}
from ${of('parking_session')}
cross join ${parkingSessions} on ${parkingSessions.municipalityId} = ${value(0)}
  and ${parkingSessions.sourceCode} = ${value(2)} and ${parkingSessions.sessionId} = ${value(3)}
where ${isKind} and ${parkingSessions.plate} = ${TWO}`,
);

const subscriptionIds = sql`select ${subscriptions.id} from ${of('subscription')}
cross join ${subscriptions} on ${subscriptions.municipalityId} = ${value(0)} and ${subscriptions.subscriptionNumber} = ${value(3)}
where ${isKind}`;

const h = alias(journal, 'h');

/** The row with which the plate came on its subscription: its history has the pseudonym by now, and names the same right. */
const CAME_WITH = sql`(select coalesce(${h.cameWith}, ${h.sequence}) from ${aliased(journal, h)}
  where ${h.municipalityId} = ${value(0)} and ${h.sourceCode} is null and ${h.key} = ${value(3)}
    and ${h.kind} = 'subscription' and +${h.plate} = ${THREE}
  order by ${h.sequence} desc limit 1)`;

/** To be run behind {@link ERASE_HISTORY}. */
export const TELL_SUBSCRIPTIONS = statement(
  () => sql`${append(sql`null, ${subscriptions.subscriptionNumber}, ${THREE}, null, ${CAME_WITH}`)}
from ${of('subscription')}
cross join ${subscriptions} on ${subscriptions.municipalityId} = ${value(0)} and ${subscriptions.subscriptionNumber} = ${value(3)}
where ${isKind} and exists (select 1 from ${subscriptionPlates}
  where ${subscriptionPlates.subscriptionId} = ${subscriptions.id} and ${subscriptionPlates.plate} = ${TWO})`,
);

/** Looked up by their keys: by the plate, each subject would read the plate's whole history. The plus keeps the planner to it. */
export const ERASE_HISTORY = statement(
  () => sql`update ${journal} set ${bare(journal.plate)} = ${THREE},
  ${bare(journal.record)} = iif(${journal.kind} = 'parking_session', json_set(${journal.record}, '$.plate', ${THREE}), ${journal.record})
where ${journal.sequence} in (
  select ${h.sequence} from json_each(${ONE}) as subject
  cross join ${aliased(journal, h)} on ${h.municipalityId} = ${value(0)} and ${h.sourceCode} is nullif(${value(2)}, '')
    and ${h.key} = ${value(3)} and ${h.kind} = ${value(1)} and +${h.plate} = ${TWO}
) returning 1 as erased`,
);

export const ERASE_SESSIONS = statement(
  () => sql`update ${parkingSessions} set ${bare(parkingSessions.plate)} = ${THREE}
where ${parkingSessions.plate} = ${TWO} and ${parkingSessions.id} in (
  select s.id from ${of('parking_session')}
  cross join ${parkingSessions} as s on s.municipality_id = ${value(0)} and s.source_code = ${value(2)} and s.session_id = ${value(3)}
  where ${isKind}
) returning 1 as erased`,
);

export const ERASE_SUBSCRIPTIONS = statement(
  () => sql`delete from ${subscriptionPlates}
where ${subscriptionPlates.plate} = ${TWO} and ${subscriptionPlates.subscriptionId} in (${subscriptionIds})
returning ${bare(subscriptionPlates.subscriptionId)} as erased`,
);

/** 1: the digests; 2: how many; 3: the tenant, whose code may be another one's municipality's. */
export const ERASE_DIGESTS = statement(
  () => sql`update ${callLog} set ${bare(callLog.plateDigest)} = null where ${callLog.requestId} in (
  select ${callLog.requestId} from ${callLog}
  where ${callLog.plateDigest} in (select value from json_each(${ONE})) and coalesce(${callLog.tenant}, ${THREE}) = ${THREE}
  limit ${TWO}
) returning 1 as erased`,
);

const isOfTenant = sql`${callLog.tenant} = ${ONE}`;
/** It failed before its credential was known: it may be any tenant's. */
const isOfNobody = sql`${callLog.tenant} is null`;

/** Of each, its index gives the next ones. */
const nextWhole = (whose: typeof isOfTenant) => sql`select * from (
      select ${callLog.requestId} as request_id, ${callLog.at} as at,
        coalesce(octet_length(${callLog.request}), 0) + coalesce(octet_length(${callLog.response}), 0) as bytes
      from ${callLog}
      where ${whose} and ${callLog.request} is not null and ${callLog.at} >= ${TWO}
        and (${callLog.at}, ${callLog.requestId}) > (${TWO}, ${THREE})
      order by ${callLog.at}, ${callLog.requestId} limit ${FOUR}
    )`;

/**
 * 1: the tenant; 2 and 3: the instant and the id to go on from; 4: how many; 5: how many bytes, but for the first. A
 * text's length stands in its row: no text is read for it.
 */
export const WHOLE_CALLS = statement(
  () => sql`select ${callLog.requestId} as request_id, ${callLog.at} as at, ${callLog.request} as request, ${callLog.response} as response
from (
  select next.request_id, coalesce(sum(next.bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from (
    ${nextWhole(isOfTenant)} union all ${nextWhole(isOfNobody)}
    order by at, request_id limit ${FOUR}
  ) as next
) as page
cross join ${callLog} on ${callLog.requestId} = page.request_id
where page.bytes_before < ${parameter(5)}
order by ${callLog.at}, ${callLog.requestId}`,
);
/**
 * 1: a JSON list of calls: id, request, response, and both as they were read. A call that is no longer as it was read
 * stays as it is: another erasure has masked its own plate in it. The digests go with the plate. 2: the digests.
 */
export const MASK_CALLS = statement(
  () => sql`update ${callLog} set ${bare(callLog.request)} = call.value ->> 1, ${bare(callLog.response)} = call.value ->> 2,
  ${bare(callLog.plateDigest)} = iif(${callLog.plateDigest} in (select value from json_each(${TWO})), null, ${callLog.plateDigest})
from json_each(${ONE}) as call where ${callLog.requestId} = call.value ->> 0
  and ${callLog.request} is call.value ->> 3 and ${callLog.response} is call.value ->> 4
returning 1 as erased`,
);
