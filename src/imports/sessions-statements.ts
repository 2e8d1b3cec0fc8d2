import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { undo } from '../db/guards.ts';
import { appendToJournal, firstVersionOf, keepPlates, recordedAt, sessionTuple } from '../db/journal-sql.ts';
import { areas, parkingSessions, sourceDelays, sources } from '../db/schema/index.ts';
import {
  bare,
  bytesOfUuid,
  columns,
  list,
  literal,
  parameter,
  type RowOf,
  statement,
  tableAs,
} from '../db/sql.ts';
import { writableId } from '../db/writable.ts';
import { DAY_MS, SECOND_MS } from '../domain/instant.ts';
import { DELAY_STEPS } from '../domain/patrol/source-delay.ts';
import { countChanges } from './daily-changes-table.ts';
import { NO_ERASED_COLUMNS, requireNoErasure, unionErased } from './erased-parts.ts';
import { isNotOlder, lineAt, revisionAfter } from './line-parts.ts';
import { SESSION_VALUES } from './session-line.ts';

/** Parameters 1 and 2 of every statement name the source; parameter 3 is a JSON list: ids to read, or lines. */
const MUNICIPALITY = parameter(1);
const SOURCE = parameter(2);
const LIST = parameter(3);
/** Of the statement that appends to the journal. */
const NOW = parameter(4);
const REQUEST = parameter(5);
const ERASED_UP_TO = parameter(6);

const session = alias(parkingSessions, 'session');
const source = alias(sources, 'source');
const area = alias(areas, 'area');

/** A line has its values in this order; behind them the code of its area. */
const lineValue = (name: (typeof SESSION_VALUES)[number]): SQL => lineAt(SESSION_VALUES.indexOf(name));
const AREA_CODE = lineAt(SESSION_VALUES.length);

/** In the order of {@link SESSION_VALUES}. */
const STORED_SESSION = {
  sessionId: session.sessionId,
  areaId: session.areaId,
  plate: session.plate,
  startsAt: session.startsAt,
  endsAt: session.endsAt,
  cancelledAt: session.cancelledAt,
  revision: session.revision,
} as const;

/** A row of {@link READ_SESSIONS}. */
export type StoredSession = RowOf<typeof STORED_SESSION>;

export const READ_SESSIONS = statement(
  () => sql`
select ${columns(STORED_SESSION)}, ${NO_ERASED_COLUMNS}
from json_each(${LIST}) as wanted
cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')}
  on ${session.municipalityId} = ${MUNICIPALITY} and ${session.sourceCode} = ${SOURCE} and ${session.sessionId} = wanted.value
${unionErased({
  kind: 'parking_session',
  municipality: MUNICIPALITY,
  source: SOURCE,
  keys: LIST,
  columns: Object.keys(STORED_SESSION).length,
})}`,
);

const { revision, sessionId } = parkingSessions;
const REPLACED_COLUMNS = SESSION_VALUES.filter((name) => name !== 'sessionId' && name !== 'revision');

/** The session's area, where that may have a list. */
const FACILITY = sql`${area.id}`;
const JOINED_FACILITY = sql`left join ${tableAs(areas, area)} on ${area.id} = ${lineValue('areaId')} and ${area.areaType} = 'facility'`;

/** A new session needs no row of the journal, unless a list asks for its place in the sequence. */
const KNOWN = [
  sql`iif(${FACILITY} is null, ${recordedAt(NOW)}, null)`,
  sql`iif(${FACILITY} is null, ${bytesOfUuid(REQUEST)}, null)`,
];
const NOT_KNOWN = sql`${bare(parkingSessions.knownAt)} = null, ${bare(parkingSessions.knownBy)} = null`;

/** {@link WRITE_SESSIONS}: 1 where {@link KEEP_PLATES} has been run. Few batches correct any plate. */
const PLATES_ARE_KEPT = parameter(7);
const PLATE_AFTER = sql`iif(${PLATES_ARE_KEPT} or excluded.${bare(session.plate)} = ${parkingSessions.plate},
    excluded.${bare(session.plate)}, ${undo('plates_not_kept')})`;

/** Two imports of one source may run at once: what the other has stored since is not undone where it is newer. */
export const WRITE_SESSIONS = statement(
  () => sql`
insert into ${parkingSessions} (${list(
    [
      session.municipalityId,
      session.sourceCode,
      ...SESSION_VALUES.map((name) => session[name]),
      session.knownAt,
      session.knownBy,
    ].map(bare),
  )})
select ${requireNoErasure(writableId(MUNICIPALITY), ERASED_UP_TO)}, ${SOURCE}, ${list([...SESSION_VALUES.map(lineValue), ...KNOWN])}
from json_each(${LIST}) as line ${JOINED_FACILITY}
where true
on conflict (${list([parkingSessions.municipalityId, parkingSessions.sourceCode, sessionId].map(bare))}) do update set
  ${list(REPLACED_COLUMNS.map((name) => sql`${bare(session[name])} = ${name === 'plate' ? PLATE_AFTER : sql`excluded.${bare(session[name])}`}`))},
  ${bare(revision)} = coalesce(excluded.${bare(revision)}, ${revision}), ${NOT_KNOWN}
where ${isNotOlder(sql`excluded.${bare(revision)}`, revision)}
  and (${sql.join(
    [
      ...REPLACED_COLUMNS.map((name) => sql`excluded.${bare(session[name])} is not ${parkingSessions[name]}`),
      sql`excluded.${bare(revision)} is not null and excluded.${bare(revision)} is not ${revision}`,
    ],
    sql` or `,
  )})`,
);

const REVISION_AFTER = revisionAfter(lineValue('revision'), session.revision);
const IS_NOT_OLDER = isNotOlder(lineValue('revision'), session.revision);

/** What {@link WRITE_SESSIONS} would take of the lines, and what of that would change anything. */
const WILL_CHANGE = sql`(${session.id} is null or (
    ${IS_NOT_OLDER}
    and (${sql.join(
      [
        ...REPLACED_COLUMNS.map((name) => sql`${session[name]} is not ${lineValue(name)}`),
        sql`${session.revision} is not ${REVISION_AFTER}`,
      ],
      sql` or `,
    )})
  ))`;

const RECORD = sessionTuple(AREA_CODE, {
  startsAt: lineValue('startsAt'),
  endsAt: lineValue('endsAt'),
  cancelledAt: lineValue('cancelledAt'),
  revision: REVISION_AFTER,
});

const LINES_AND_STORED = sql`
from json_each(${LIST}) as line
left join ${tableAs(parkingSessions, session, 'parking_sessions_key')}
  on ${session.municipalityId} = ${MUNICIPALITY} and ${session.sourceCode} = ${SOURCE} and ${session.sessionId} = ${lineValue('sessionId')}`;

/**
 * Stores cancellations that change nothing else, so that no index is written that does not hold them. It leaves the other rows
 * to {@link WRITE_SESSIONS}, in the same transaction. A row that is equal already stays as it is: it may be the only record of
 * when it was first known, and the batch of a retry appends nothing.
 */
export const CANCEL_SESSIONS = statement(
  () => sql`
with found as materialized (
  select ${session.id} as id, ${lineValue('cancelledAt')} as cancelled_at, ${REVISION_AFTER} as revision
  from json_each(${LIST}) as line
  cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')}
    on ${session.municipalityId} = ${MUNICIPALITY} and ${session.sourceCode} = ${SOURCE} and ${session.sessionId} = ${lineValue('sessionId')}
  where ${IS_NOT_OLDER} and ${sql.join(
    REPLACED_COLUMNS.filter((name) => name !== 'cancelledAt').map(
      (name) => sql`${session[name]} is ${lineValue(name)}`,
    ),
    sql` and `,
  )}
    and (${session.cancelledAt} is not ${lineValue('cancelledAt')} or ${session.revision} is not ${REVISION_AFTER})
)
update ${parkingSessions} set ${bare(parkingSessions.cancelledAt)} = found.cancelled_at, ${bare(revision)} = found.revision, ${NOT_KNOWN}
from found where ${parkingSessions.id} = +found.id`,
);

/** Counts what {@link WRITE_SESSIONS} is about to change: it has to come before the others, in the same transaction. */
export const COUNT_SESSIONS = statement(() =>
  countChanges(
    MUNICIPALITY,
    { day: parameter(4), count: parameter(5), maxBefore: parameter(6) },
    sql`select 1 ${LINES_AND_STORED} where ${WILL_CHANGE}`,
  ),
);

/**
 * Where {@link WRITE_SESSIONS} is about to correct a plate, what was known until now is of the one before. To be run before
 * what is appended, in the same transaction.
 */
export const KEEP_PLATES = statement(() =>
  keepPlates(
    session,
    sql`from json_each(${LIST}) as line
  cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')}
    on ${session.municipalityId} = ${MUNICIPALITY} and ${session.sourceCode} = ${SOURCE} and ${session.sessionId} = ${lineValue('sessionId')}
    and ${session.plate} <> ${lineValue('plate')} and ${IS_NOT_OLDER}`,
  ),
);

/**
 * @param leaves whether a row is of the plate that a corrected session leaves, not of the session's own
 * @param sides where that is read from
 */
const appendSessions = (leaves: SQL, sides: SQL) =>
  statement(() =>
    appendToJournal(
      {
        municipalityId: requireNoErasure(MUNICIPALITY, ERASED_UP_TO),
        kind: sql.raw(`'parking_session'`),
        recordedAt: sql`max(${recordedAt(NOW)}, coalesce(${session.knownAt}, 0))`,
        requestId: bytesOfUuid(REQUEST),
        sourceCode: SOURCE,
        key: lineValue('sessionId'),
        plate: sql`iif(${leaves}, ${session.plate}, null)`,
        areaId: sql`iif(${leaves}, null, ${FACILITY})`,
        leftAreaId: sql`iif(${leaves} or ${session.areaId} <> ${lineValue('areaId')}, ${session.areaId}, null)`,
        record: sql`iif(${leaves}, null, ${RECORD})`,
        ...firstVersionOf(session, sql`(${leaves} or ${session.plate} = ${lineValue('plate')})`),
      },
      sql`${LINES_AND_STORED} ${sides}
${JOINED_FACILITY}
where ${WILL_CHANGE} and (not ${leaves} or ${session.plate} <> ${lineValue('plate')}) and (${session.id} is not null or ${FACILITY} is not null)`,
    ),
  );

/**
 * Appends what {@link WRITE_SESSIONS} is about to change, but for new sessions on a street, which say it themselves: it has to
 * come before it, in the same transaction. It compares with what is stored, so that a batch that was stored, and is sent again
 * since its answer was lost, appends nothing.
 */
export const APPEND_SESSIONS = appendSessions(sql.raw('false'), sql``);

/** The same where plates are corrected. The row of the plate that is left comes first, so that the session's own is the newest. */
export const APPEND_CORRECTED_SESSIONS = appendSessions(
  sql.raw('side.leaves'),
  sql.raw('cross join (select 1 as leaves union all select 0) as side'),
);

/** The smallest step that a delay does not exceed; null above all of them. */
const STEP = sql`case ${sql.join(
  DELAY_STEPS.map((step) => sql`when delay <= ${literal(step * SECOND_MS)} then ${literal(step)}`),
  sql` `,
)} end`;

/**
 * Counts how late the source reports what {@link WRITE_SESSIONS} is about to change: new sessions after their start, and later
 * ends after the end before. To be run before it, in the same transaction; 4: now. The limits keep SQLite from putting the inner
 * selects into the outer ones: it would reckon the delay again for every step that it is compared with.
 */
export const COUNT_DELAYS = statement(
  () => sql`
insert into ${sourceDelays} (${list([sourceDelays.sourceId, sourceDelays.day, sourceDelays.step, sourceDelays.count].map(bare))})
select (select ${source.id} from ${tableAs(sources, source)} where ${source.municipalityId} = ${MUNICIPALITY} and ${source.code} = ${SOURCE}),
  cast(${NOW} as integer) / ${literal(DAY_MS)}, step, count(*)
from (
  select ${STEP} as step from (
    select ${NOW} - iif(${session.id} is null, ${lineValue('startsAt')}, ${session.endsAt}) as delay
    ${LINES_AND_STORED} where ${WILL_CHANGE} and (${session.id} is null or ${lineValue('endsAt')} > ${session.endsAt}) limit -1
  ) where delay >= 0 limit -1
) where step is not null group by step
on conflict (${list([sourceDelays.sourceId, sourceDelays.day, sourceDelays.step].map(bare))}) do update set
  ${bare(sourceDelays.count)} = ${sourceDelays.count} + excluded.${bare(sourceDelays.count)}`,
);
