import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { appendToJournal, firstVersionOf, keepPlates, recordedAt, sessionTuple } from '../db/journal-sql.ts';
import { parkingSessions } from '../db/schema/index.ts';
import { bytesOfUuid, parameter, statement, tableAs } from '../db/sql.ts';
import { requireNoErasure } from './erased-parts.ts';
import { isNotOlder, lineAt, revisionAfter } from './line-parts.ts';
import { SESSION_VALUES } from './session-line.ts';
import { FACILITY, JOINED_FACILITY } from './sessions-journal-parts.ts';

/** Parameters 1 and 2 of every statement name the source; parameter 3 is a JSON list: ids to read, or lines. */
const MUNICIPALITY = parameter(1);
const SOURCE = parameter(2);
const LIST = parameter(3);
/** Of the statement that appends to the journal. */
const NOW = parameter(4);
const REQUEST = parameter(5);
const ERASED_UP_TO = parameter(6);

const session = alias(parkingSessions, 'session');

/** A line has its values in this order; behind them the code of its area. */
const lineValue = (name: (typeof SESSION_VALUES)[number]): SQL => lineAt(SESSION_VALUES.indexOf(name));
const AREA_CODE = lineAt(SESSION_VALUES.length);

const REPLACED_COLUMNS = SESSION_VALUES.filter((name) => name !== 'sessionId' && name !== 'revision');

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
