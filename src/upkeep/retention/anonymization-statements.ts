import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { HOUR_MS } from '../../domain/instant.ts';
import {
  anonymizations,
  moves,
  municipalities,
  parkingSessions,
  pastParkingSessions,
  sources,
} from '../../storage/db/schema/index.ts';
import { OPEN_END } from '../../storage/db/schema/sessions.ts';
import {
  bare,
  columns,
  literal,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  tableAs,
  tableByIndex,
} from '../../storage/db/sql.ts';
import { isNotMoving } from '../../storage/db/writable.ts';

const session = alias(parkingSessions, 'session');
const version = alias(pastParkingSessions, 'version');
const anonymization = alias(anonymizations, 'anonymization');
const municipality = alias(municipalities, 'municipality');
const source = alias(sources, 'source');

const LONG_AGO = literal(-Number.MAX_SAFE_INTEGER);
const endedUpTo = sql`coalesce(${anonymization.endedUpTo}, ${LONG_AGO})`;
const openUpTo = sql`coalesce(${anonymization.openUpTo}, ${LONG_AGO})`;

/** A pseudonym sorts before every plate. The plus keeps the planner from looking for plates. */
const isPlate = (column: SQLiteColumn): SQL => sql`+${column} >= '0'`;

const VERSIONS = sql`from ${tableAs(pastParkingSessions, version, primaryKeyOf(pastParkingSessions))} where ${version.id} = ${session.id}`;

/** Erased ones count too: a version of the past may have another plate yet. */
const HAS_PLATE = sql`(${isPlate(session.plate)} or exists (select 1 ${VERSIONS} and ${isPlate(version.plate)}))`;

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
  recorded_at: session.recordedAt,
  plate: session.plate,
  /** A pseudonym that it has already, in any version. */
  pseudonym: sql<
    string | null
  >`iif(${isPlate(session.plate)}, (select min(${version.plate}) ${VERSIONS} and not ${isPlate(version.plate)}), ${session.plate})`,
} as const;
export type PastSessionRow = RowOf<typeof SESSION>;

/** 1: the instant before which they have ended; 2: how many. */
export const READ_PAST = statement(
  () => sql`select ${columns(SESSION)} from (${PAST}) as past
cross join ${tableAs(parkingSessions, session)} on ${session.id} = past.id`,
);

/**
 * Of the statements that write, 1 is a JSON list of sessions as they were read (id, recording, plate), each with its pseudonym.
 * One that has changed since is left alone.
 */
const value = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
const AS_READ = sql`from json_each(${parameter(1)}) as line
  cross join ${tableAs(parkingSessions, session)} on ${session.id} = ${value(0)} and ${session.recordedAt} = ${value(1)}
    and ${session.plate} = ${value(2)}`;

/** Materialized, and its column with a sign, or the planner looks through the whole table for it. */
const FOUND = sql`with found as materialized (
  select ${session.id} as id, ${session.municipalityId} as municipality, ${session.recordedAt} as recorded_at, ${value(3)} as pseudonym ${AS_READ})`;

export const ANONYMIZE_VERSIONS = statement(
  () => sql`${FOUND}
update ${tableByIndex(pastParkingSessions, primaryKeyOf(pastParkingSessions))} set ${bare(pastParkingSessions.plate)} = found.pseudonym
from found where ${pastParkingSessions.id} = +found.id and ${isPlate(pastParkingSessions.plate)}`,
);

/** A list from before a session was as it is now may have it under its plate: nothing would tell the gate that it has ended. */
export const FORGET_PAST = statement(
  () => sql`${FOUND}
update ${municipalities} set ${bare(municipalities.pastSince)} = max(${municipalities.pastSince},
  (select max(found.recorded_at) from found where found.municipality = ${municipalities.id}))
where ${municipalities.id} in (select found.municipality from found)`,
);

/** Run it after those above, which read the sessions with their plates. */
export const ANONYMIZE_SESSIONS = statement(
  () => sql`${FOUND}
update ${parkingSessions} set ${bare(parkingSessions.plate)} = found.pseudonym
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

/** A copy that is being made of a municipality begins again: nothing says which of its rows have changed. */
export const MAKE_COPIES_STALE = statement(
  () => sql`update ${moves} set ${bare(moves.erasures)} = ${moves.erasures} + 1 where ${moves.municipalityId} in (
  select ${session.municipalityId} from json_each(${parameter(1)}) as line
  cross join ${tableAs(parkingSessions, session)} on ${session.id} = line.value ->> 0)`,
);
