import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { undo } from '../../storage/db/guards.ts';
import {
  parkingSessions,
  pastParkingSessions,
  sourceDelays,
  sources,
} from '../../storage/db/schema/index.ts';
import { bare, columns, list, parameter, type RowOf, statement, tableAs } from '../../storage/db/sql.ts';
import { NO_ERASED_COLUMNS, unionErased } from './erased-parts.ts';
import { lineAt } from './line-parts.ts';
import { SESSION_VALUES } from './session-line.ts';

/** Parameters 1 and 2 of every statement name the source; parameter 3 is a JSON list: ids to read, or lines. */
const MUNICIPALITY = parameter(1);
const SOURCE = parameter(2);
const LIST = parameter(3);

const session = alias(parkingSessions, 'session');
const source = alias(sources, 'source');

/** In the order of {@link SESSION_VALUES}, then what names the version. */
const STORED_SESSION = {
  sessionId: session.sessionId,
  areaId: session.areaId,
  plate: session.plate,
  startsAt: session.startsAt,
  endsAt: session.endsAt,
  cancelledAt: session.cancelledAt,
  revision: session.revision,
  id: session.id,
  recordedAt: session.recordedAt,
} as const;

/** A row of {@link READ_SESSIONS}. */
export type ReadSession = RowOf<typeof STORED_SESSION>;

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

const RECORDED = lastRecordedAt(MUNICIPALITY);

/** A new session's line has its values in the order of {@link SESSION_VALUES}. */
const newValue = (name: (typeof SESSION_VALUES)[number]): SQL => lineAt(SESSION_VALUES.indexOf(name));

/** Fails where another import has stored one of the sessions meanwhile. */
export const INSERT_SESSIONS = statement(
  () => sql`
insert into ${parkingSessions} (${list(
    [
      session.municipalityId,
      session.sourceCode,
      ...SESSION_VALUES.map((name) => session[name]),
      session.recordedAt,
    ].map(bare),
  )})
select ${MUNICIPALITY}, ${SOURCE}, ${list([...SESSION_VALUES.map(newValue), RECORDED])}
from json_each(${LIST}) as line`,
);

/** The columns of a changed session's line: its id, when the version that was read was stored, and the new values. */
export const CHANGED_VALUES = [
  'id',
  'recordedAt',
  'areaId',
  'plate',
  'startsAt',
  'endsAt',
  'cancelledAt',
  'revision',
] as const;
const changedValue = (name: (typeof CHANGED_VALUES)[number]): SQL => lineAt(CHANGED_VALUES.indexOf(name));

const CHANGED_MEANWHILE = undo('changed_meanwhile');
const KEPT = ['areaId', 'plate', 'startsAt', 'endsAt', 'cancelledAt', 'revision'] as const;

/**
 * Copies the versions that are about to be replaced to the past. Undoes the transaction where one of them is no longer the
 * version that the line was judged by.
 */
export const KEEP_SESSIONS = statement(
  () => sql`
insert into ${pastParkingSessions} (${list(
    [
      pastParkingSessions.id,
      pastParkingSessions.municipalityId,
      ...KEPT.map((name) => pastParkingSessions[name]),
      pastParkingSessions.recordedAt,
      pastParkingSessions.replacedAt,
    ].map(bare),
  )})
select coalesce(${session.id}, ${CHANGED_MEANWHILE}), ${session.municipalityId}, ${list(KEPT.map((name) => session[name]))},
  iif(${session.recordedAt} = ${changedValue('recordedAt')}, ${session.recordedAt}, ${CHANGED_MEANWHILE}), ${RECORDED}
from json_each(${LIST}) as line
left join ${tableAs(parkingSessions, session)} on ${session.id} = ${changedValue('id')} and ${session.municipalityId} = ${MUNICIPALITY} and ${session.sourceCode} = ${SOURCE}`,
);

/** SQLite writes every index that has one of the columns that are set, also where its value stays. */
const updateSessions = (names: readonly (typeof KEPT)[number][]) =>
  statement(
    () => sql`
update ${parkingSessions} set ${list(names.map((name) => sql`${bare(parkingSessions[name])} = ${changedValue(name)}`))},
  ${bare(parkingSessions.recordedAt)} = ${RECORDED}
from json_each(${LIST}) as line
where ${parkingSessions.id} = ${changedValue('id')}`,
  );

export const UPDATE_SESSIONS = updateSessions(KEPT);
/** For lines that change nothing but this, so that no index of plates and ends is written. */
export const CANCEL_SESSIONS = updateSessions(['cancelledAt', 'revision']);

/** 3: a JSON list of steps with their counts; 4: the day. */
export const COUNT_DELAYS = statement(
  () => sql`
insert into ${sourceDelays} (${list([sourceDelays.sourceId, sourceDelays.day, sourceDelays.step, sourceDelays.count].map(bare))})
select ${source.id}, ${parameter(4)}, ${lineAt(0)}, ${lineAt(1)}
from ${tableAs(sources, source)} cross join json_each(${LIST}) as line
where ${source.municipalityId} = ${MUNICIPALITY} and ${source.code} = ${SOURCE}
on conflict (${list([sourceDelays.sourceId, sourceDelays.day, sourceDelays.step].map(bare))}) do update set
  ${bare(sourceDelays.count)} = ${sourceDelays.count} + excluded.${bare(sourceDelays.count)}`,
);
