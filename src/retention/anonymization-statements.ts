import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { appendToJournal, firstVersionOf, recordedAt, SESSION_HISTORY } from '../db/journal-sql.ts';
import {
  anonymizations,
  journal,
  moves,
  municipalities,
  parkingSessions,
  sources,
} from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { bare, columns, literal, parameter, type RowOf, statement, tableAs } from '../db/sql.ts';
import { isNotMoving } from '../db/writable.ts';
import { HOUR_MS } from '../domain/instant.ts';

const session = alias(parkingSessions, 'session');
const change = alias(journal, 'change');
const anonymization = alias(anonymizations, 'anonymization');
const municipality = alias(municipalities, 'municipality');
const source = alias(sources, 'source');

const LONG_AGO = literal(-Number.MAX_SAFE_INTEGER);
const endedUpTo = sql`coalesce(${anonymization.endedUpTo}, ${LONG_AGO})`;
const openUpTo = sql`coalesce(${anonymization.openUpTo}, ${LONG_AGO})`;

/** A pseudonym sorts before every plate. The plus keeps the planner from looking for plates. */
const isPlate = (column: SQLiteColumn): SQL => sql`+${column} >= '0'`;

const HISTORY = sql`from ${tableAs(journal, change, SESSION_HISTORY)} where ${change.municipalityId} = ${session.municipalityId}
    and ${change.kind} = 'parking_session' and ${change.sourceCode} = ${session.sourceCode} and ${change.key} = ${session.sessionId}
`;

/** Erased ones count too: the journal may have another plate of the same session yet. */
const HAS_PLATE = sql`(${isPlate(session.plate)} or exists (select 1 ${HISTORY} and ${isPlate(change.plate)}))`;

const BEFORE = parameter(1);
const LIMIT = parameter(2);

const ENDED = sql`${session.runsUntil} >= ${endedUpTo} and ${session.runsUntil} < ${BEFORE} and ${HAS_PLATE}`;
const OPEN = sql`${session.runsUntil} = ${literal(OPEN_END)} and ${session.startsAt} >= ${openUpTo} and ${HAS_PLATE}`;
const JOINED = sql`left join ${tableAs(anonymizations, anonymization)} on ${anonymization.municipalityId}`;

const BY_END = tableAs(parkingSessions, session, 'parking_sessions_by_end');

/** As retention has it: ended, cancelled, or past the longest time that their source lets a forgotten stop run. */
const PAST = sql`
  select * from (
    select ${session.id} as id from ${tableAs(municipalities, municipality)} ${JOINED} = ${municipality.id}
    cross join ${BY_END} on ${session.municipalityId} = ${municipality.id}
    where ${isNotMoving(municipality.id)} and ${ENDED} limit ${LIMIT}
  )
  union select * from (
    select ${session.id} from ${tableAs(parkingSessions, session, 'parking_sessions_cancelled_with_plate')}
    where ${session.cancelledAt} < ${BEFORE} and ${session.plate} >= '0' and ${isNotMoving(session.municipalityId)} limit ${LIMIT}
  )
  union select * from (
    select ${session.id} from ${tableAs(sources, source)} ${JOINED} = ${source.municipalityId}
    cross join ${BY_END} on ${session.municipalityId} = ${source.municipalityId} and ${session.sourceCode} = ${source.code}
    where ${isNotMoving(source.municipalityId)} and ${OPEN}
      and ${session.startsAt} < ${BEFORE} - ${source.openSessionMaxHours} * ${literal(HOUR_MS)} limit ${LIMIT}
  ) limit ${LIMIT}`;

const SESSION = {
  id: session.id,
  starts_at: session.startsAt,
  ends_at: session.endsAt,
  cancelled_at: session.cancelledAt,
  plate: session.plate,
  history: sql<string>`(select json_group_array(${change.plate}) ${HISTORY} and ${change.plate} is not null)`,
} as const;

/** `history`: a JSON list of the plates and pseudonyms that the journal has of it. */
export type PastSessionRow = RowOf<typeof SESSION>;

/** 1: the instant before which they have ended; 2: how many. */
export const READ_PAST = statement(
  () => sql`select ${columns(SESSION)} from (${PAST}) as past
cross join ${tableAs(parkingSessions, session)} on ${session.id} = past.id`,
);

/**
 * Of the statements that write, 1 is a JSON list of a row for each plate of each session: the session as it was read
 * (id, start, end, cancellation, plate), the plate and its pseudonym. One that has changed since is left alone.
 */
const value = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
const PLATE = value(5);
const PSEUDONYM = value(6);
const AS_READ = sql`from json_each(${parameter(1)}) as line
  cross join ${tableAs(parkingSessions, session)} on ${session.id} = ${value(0)} and ${session.startsAt} = ${value(1)}
    and ${session.endsAt} is ${value(2)} and ${session.cancelledAt} is ${value(3)} and ${session.plate} = ${value(4)}`;

/** Materialized, and its column with a sign, or the planner looks through the whole table for it. */
const found = (select: SQL): SQL => sql`with found as materialized (${select})`;

export const ANONYMIZE_HISTORY = statement(
  () => sql`${found(sql`
  select ${change.sequence} as sequence, ${PSEUDONYM} as pseudonym ${AS_READ}
  cross join ${tableAs(journal, change, SESSION_HISTORY)} on ${change.municipalityId} = ${session.municipalityId} and ${change.kind} = 'parking_session'
    and ${change.sourceCode} = ${session.sourceCode} and ${change.key} = ${session.sessionId} and +${change.plate} = ${PLATE}`)}
update ${journal} set ${bare(journal.plate)} = found.pseudonym,
  ${bare(journal.record)} = json_set(${journal.record}, '$.plate', found.pseudonym)
from found where ${journal.sequence} = +found.sequence`,
);

const OF_SESSIONS = sql`${AS_READ} where ${session.plate} = ${PLATE}`;

/** 2: now. The plate has left the session, and with it the area. */
export const APPEND_ANONYMIZED = statement(() =>
  appendToJournal(
    {
      municipalityId: sql`${session.municipalityId}`,
      kind: sql.raw(`'parking_session'`),
      recordedAt: recordedAt(parameter(2)),
      sourceCode: sql`${session.sourceCode}`,
      key: sql`${session.sessionId}`,
      plate: PSEUDONYM,
      leftAreaId: sql`${session.areaId}`,
      ...firstVersionOf(session),
    },
    OF_SESSIONS,
  ),
);

export const ANONYMIZE_SESSIONS = statement(
  () => sql`${found(sql`select ${session.id} as id, ${PSEUDONYM} as pseudonym ${OF_SESSIONS}`)}
update ${parkingSessions} set ${bare(parkingSessions.plate)} = found.pseudonym,
  ${bare(parkingSessions.knownAt)} = null, ${bare(parkingSessions.knownBy)} = null
from found where ${parkingSessions.id} = +found.id returning 1 as anonymized`,
);

const firstWithPlate = (column: SQL, condition: SQL): SQL => sql`(select ${column} from ${BY_END}
    where ${session.municipalityId} = ${municipality.id} and ${condition} order by ${column} limit 1)`;

/** 1: as of {@link READ_PAST}. Up to the first that has its plate: what was stored meanwhile is not passed by. */
export const ADVANCE = statement(
  () => sql`insert into ${anonymizations}
  (${bare(anonymizations.municipalityId)}, ${bare(anonymizations.endedUpTo)}, ${bare(anonymizations.openUpTo)})
select ${municipality.id},
  coalesce(${firstWithPlate(sql`${session.runsUntil}`, ENDED)}, max(${BEFORE}, ${endedUpTo})),
  coalesce(${firstWithPlate(sql`${session.startsAt}`, sql`${OPEN} and ${session.startsAt} < ${BEFORE}`)}, max(${BEFORE}, ${openUpTo}))
from ${tableAs(municipalities, municipality)} ${JOINED} = ${municipality.id} where true
on conflict (${bare(anonymizations.municipalityId)}) do update set
  ${bare(anonymizations.endedUpTo)} = excluded.${bare(anonymizations.endedUpTo)},
  ${bare(anonymizations.openUpTo)} = excluded.${bare(anonymizations.openUpTo)}`,
);

/** A copy that is being made of a municipality begins again: the journal does not say which of its rows have changed. */
export const MAKE_COPIES_STALE = statement(
  () => sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (
  select ${session.municipalityId} from json_each(${parameter(1)}) as line
  cross join ${tableAs(parkingSessions, session)} on ${session.id} = line.value ->> 0)`,
);
