import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { appendToJournal, recordedAt } from '../db/journal-sql.ts';
import {
  anonymizations,
  journal,
  moves,
  municipalities,
  parkingSessions,
  sources,
} from '../db/schema/index.ts';
import { OPEN_END } from '../db/schema/sessions.ts';
import { aliased, bare, columns, literal, parameter, type RowOf, statement } from '../db/sql.ts';
import { isNotMoving } from '../db/writable.ts';
import { HOUR_MS } from '../domain/instant.ts';

const s = alias(parkingSessions, 's');
const j = alias(journal, 'j');
const a = alias(anonymizations, 'a');
const m = alias(municipalities, 'm');
const c = alias(sources, 'c');

const LONG_AGO = literal(-Number.MAX_SAFE_INTEGER);
const endedUpTo = sql`coalesce(${a.endedUpTo}, ${LONG_AGO})`;
const openUpTo = sql`coalesce(${a.openUpTo}, ${LONG_AGO})`;

/** A pseudonym sorts before every plate. The plus keeps the planner from looking for plates. */
const isPlate = (column: SQLiteColumn): SQL => sql`+${column} >= '0'`;

const HISTORY = sql`from ${aliased(journal, j)} where ${j.municipalityId} = ${s.municipalityId}
    and ${j.kind} = 'parking_session' and ${j.sourceCode} = ${s.sourceCode} and ${j.key} = ${s.sessionId}
    and ${isPlate(j.plate)}`;

/** Erased ones count too: the journal may have another plate of the same session yet. */
const HAS_PLATE = sql`(${isPlate(s.plate)} or exists (select 1 ${HISTORY}))`;

const BEFORE = parameter(1);
const MOST = parameter(2);

const ENDED = sql`${s.runsUntil} >= ${endedUpTo} and ${s.runsUntil} < ${BEFORE} and ${HAS_PLATE}`;
const OPEN = sql`${s.runsUntil} = ${literal(OPEN_END)} and ${s.startsAt} >= ${openUpTo} and ${HAS_PLATE}`;
const JOINED = sql`left join ${aliased(anonymizations, a)} on ${a.municipalityId}`;

/** As retention has it: ended, cancelled, or past the longest time that their source lets a forgotten stop run. */
const PAST = sql`
  select * from (
    select ${s.id} as id from ${aliased(municipalities, m)} ${JOINED} = ${m.id}
    cross join ${aliased(parkingSessions, s)} on ${s.municipalityId} = ${m.id}
    where ${isNotMoving(m.id)} and ${ENDED} limit ${MOST}
  )
  union select * from (
    select ${s.id} from ${aliased(parkingSessions, s)}
    where ${s.cancelledAt} < ${BEFORE} and ${s.plate} >= '0' and ${isNotMoving(s.municipalityId)} limit ${MOST}
  )
  union select * from (
    select ${s.id} from ${aliased(sources, c)} ${JOINED} = ${c.municipalityId}
    cross join ${aliased(parkingSessions, s)} on ${s.municipalityId} = ${c.municipalityId} and ${s.sourceCode} = ${c.code}
    where ${isNotMoving(c.municipalityId)} and ${OPEN}
      and ${s.startsAt} < ${BEFORE} - ${c.openSessionMaxHours} * ${literal(HOUR_MS)} limit ${MOST}
  ) limit ${MOST}`;

const SESSION = {
  id: s.id,
  municipality_id: s.municipalityId,
  starts_at: s.startsAt,
  ends_at: s.endsAt,
  cancelled_at: s.cancelledAt,
  plate: s.plate,
  history: sql<string>`(select json_group_array(${j.plate}) ${HISTORY})`,
} as const;

/** `history`: a JSON list of the plates that the journal has of it. */
export type PastSessionRow = RowOf<typeof SESSION>;

/** 1: the instant before which they have ended; 2: how many. */
export const READ_PAST = statement(
  () => sql`select ${columns(SESSION)} from (${PAST}) as past
cross join ${aliased(parkingSessions, s)} on ${s.id} = past.id`,
);

/**
 * Of the statements that write, 1 is a JSON list of a row for each plate of each session: the session as it was read
 * (id, start, end, cancellation, plate), the plate and its pseudonym. One that has changed since is left alone.
 */
const value = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
const PLATE = value(5);
const PSEUDONYM = value(6);
const AS_READ = sql`from json_each(${parameter(1)}) as line
  cross join ${aliased(parkingSessions, s)} on ${s.id} = ${value(0)} and ${s.startsAt} = ${value(1)}
    and ${s.endsAt} is ${value(2)} and ${s.cancelledAt} is ${value(3)} and ${s.plate} = ${value(4)}`;

/** Materialized, or the planner looks through the whole table for it. */
const found = (select: SQL): SQL => sql`with found as materialized (${select})`;

export const ANONYMIZE_HISTORY = statement(
  () => sql`${found(sql`
  select ${j.sequence} as sequence, ${PSEUDONYM} as pseudonym ${AS_READ}
  cross join ${aliased(journal, j)} on ${j.municipalityId} = ${s.municipalityId} and ${j.kind} = 'parking_session'
    and ${j.sourceCode} = ${s.sourceCode} and ${j.key} = ${s.sessionId} and +${j.plate} = ${PLATE}`)}
update ${journal} set ${bare(journal.plate)} = found.pseudonym,
  ${bare(journal.record)} = json_set(${journal.record}, '$.plate', found.pseudonym)
from found where ${journal.sequence} = found.sequence`,
);

const OF_SESSIONS = sql`${AS_READ} where ${s.plate} = ${PLATE}`;

/** 2: now. The plate has left the session, and with it the area. */
export const TELL_ANONYMIZED = statement(() =>
  appendToJournal(
    {
      municipalityId: sql`${s.municipalityId}`,
      kind: sql.raw(`'parking_session'`),
      recordedAt: recordedAt(parameter(2)),
      sourceCode: sql`${s.sourceCode}`,
      key: sql`${s.sessionId}`,
      plate: PSEUDONYM,
      leftAreaId: sql`${s.areaId}`,
    },
    OF_SESSIONS,
  ),
);

export const ANONYMIZE_SESSIONS = statement(
  () => sql`${found(sql`select ${s.id} as id, ${PSEUDONYM} as pseudonym ${OF_SESSIONS}`)}
update ${parkingSessions} set ${bare(parkingSessions.plate)} = found.pseudonym
from found where ${parkingSessions.id} = found.id returning 1 as anonymized`,
);

const firstWithPlate = (
  column: SQL,
  condition: SQL,
): SQL => sql`(select ${column} from ${aliased(parkingSessions, s)}
    where ${s.municipalityId} = ${m.id} and ${condition} order by ${column} limit 1)`;

/** 1: as of {@link READ_PAST}. Up to the first that has its plate: what was stored meanwhile is not passed by. */
export const ADVANCE = statement(
  () => sql`insert into ${anonymizations}
  (${bare(anonymizations.municipalityId)}, ${bare(anonymizations.endedUpTo)}, ${bare(anonymizations.openUpTo)})
select ${m.id},
  coalesce(${firstWithPlate(sql`${s.runsUntil}`, ENDED)}, max(${BEFORE}, ${endedUpTo})),
  coalesce(${firstWithPlate(sql`${s.startsAt}`, sql`${OPEN} and ${s.startsAt} < ${BEFORE}`)}, max(${BEFORE}, ${openUpTo}))
from ${aliased(municipalities, m)} ${JOINED} = ${m.id} where true
on conflict (${bare(anonymizations.municipalityId)}) do update set
  ${bare(anonymizations.endedUpTo)} = excluded.${bare(anonymizations.endedUpTo)},
  ${bare(anonymizations.openUpTo)} = excluded.${bare(anonymizations.openUpTo)}`,
);

/** A copy that is being made of a municipality is begun anew: the journal does not tell which of its rows have changed. */
export const MAKE_COPIES_STALE = statement(
  () => sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (
  select ${s.municipalityId} from json_each(${parameter(1)}) as line
  cross join ${aliased(parkingSessions, s)} on ${s.id} = line.value ->> 0)`,
);
