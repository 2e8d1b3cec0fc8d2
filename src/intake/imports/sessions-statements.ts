import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { lastRecordedAt } from '../../storage/db/changes-sql.ts';
import { undo } from '../../storage/db/guards.ts';
import type { Json } from '../../storage/db/json.ts';
import {
  parkingSessions,
  pastParkingSessions,
  sourceDelays,
  sources,
} from '../../storage/db/schema/index.ts';
import { bare, columns, list, type RowOf, tableAs } from '../../storage/db/sql.ts';
import { statement, value } from '../../storage/db/statement.ts';
import { type ErasedColumns, NO_ERASED_COLUMNS, unionErased } from './erased-parts.ts';
import { lineAt } from './line-parts.ts';
import { SESSION_VALUES } from './session-line.ts';

const SOURCE = { municipalityId: value<number>(), sourceCode: value<string>() };
/** Each with its values, in the order that its statement names. */
const LINES = { ...SOURCE, lines: value<Json<readonly (readonly unknown[])[]>>() };

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
  { ...SOURCE, sessionIds: value<Json<readonly string[]>>() },
  ({ municipalityId, sourceCode, sessionIds }) => sql<ReadSession & ErasedColumns>`
  select ${columns(STORED_SESSION)}, ${NO_ERASED_COLUMNS}
  from json_each(${sessionIds}) as wanted
  cross join ${tableAs(parkingSessions, session, 'parking_sessions_key')}
    on ${session.municipalityId} = ${municipalityId}
    and ${session.sourceCode} = ${sourceCode}
    and ${session.sessionId} = wanted.value
  ${unionErased({
    kind: 'parking_session',
    municipality: municipalityId,
    source: sourceCode,
    keys: sessionIds,
    columns: Object.keys(STORED_SESSION).length,
  })}`,
);

/** A new session's line has its values in the order of {@link SESSION_VALUES}. */
const newValue = (name: (typeof SESSION_VALUES)[number]): SQL => lineAt(SESSION_VALUES.indexOf(name));

/** Fails where another import has stored one of the sessions meanwhile. */
export const INSERT_SESSIONS = statement(
  LINES,
  ({ municipalityId, sourceCode, lines }) => sql`
  insert into ${parkingSessions} (${list(
    [
      session.municipalityId,
      session.sourceCode,
      ...SESSION_VALUES.map((name) => session[name]),
      session.recordedAt,
    ].map(bare),
  )})
  select ${municipalityId}, ${sourceCode}, ${list([...SESSION_VALUES.map(newValue), lastRecordedAt(municipalityId)])}
  from json_each(${lines}) as line`,
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
  LINES,
  ({ municipalityId, sourceCode, lines }) => sql`
  insert into ${pastParkingSessions} (${list(
    [
      pastParkingSessions.id,
      pastParkingSessions.municipalityId,
      ...KEPT.map((name) => pastParkingSessions[name]),
      pastParkingSessions.recordedAt,
      pastParkingSessions.replacedAt,
    ].map(bare),
  )})
  select coalesce(${session.id}, ${CHANGED_MEANWHILE}),
    ${session.municipalityId},
    ${list(KEPT.map((name) => session[name]))},
    iif(${session.recordedAt} = ${changedValue('recordedAt')}, ${session.recordedAt}, ${CHANGED_MEANWHILE}),
    ${lastRecordedAt(municipalityId)}
  from json_each(${lines}) as line
  left join ${tableAs(parkingSessions, session)}
    on ${session.id} = ${changedValue('id')}
    and ${session.municipalityId} = ${municipalityId}
    and ${session.sourceCode} = ${sourceCode}`,
);

/** SQLite writes every index that has one of the columns that are set, also where its value stays. */
const updateSessions = (names: readonly (typeof KEPT)[number][]) =>
  statement(
    LINES,
    ({ municipalityId, lines }) => sql`
  update ${parkingSessions}
  set ${list(names.map((name) => sql`${bare(parkingSessions[name])} = ${changedValue(name)}`))},
    ${bare(parkingSessions.recordedAt)} = ${lastRecordedAt(municipalityId)}
  from json_each(${lines}) as line
  where ${parkingSessions.id} = ${changedValue('id')}`,
  );

export const UPDATE_SESSIONS = updateSessions(KEPT);
/** For lines that change nothing but this, so that no index of plates and ends is written. */
export const CANCEL_SESSIONS = updateSessions(['cancelledAt', 'revision']);

/** How late the source has reported sessions: counts them by the step of their delay. */
export const COUNT_DELAYS = statement(
  {
    ...SOURCE,
    steps: value<Json<readonly (readonly [step: number, count: number])[]>>(),
    day: value<number>(),
  },
  ({ municipalityId, sourceCode, steps, day }) => sql`
  insert into ${sourceDelays} (${list([sourceDelays.sourceId, sourceDelays.day, sourceDelays.step, sourceDelays.count].map(bare))})
  select ${source.id}, ${day}, ${lineAt(0)}, ${lineAt(1)}
  from ${tableAs(sources, source)}
  cross join json_each(${steps}) as line
  where ${source.municipalityId} = ${municipalityId}
    and ${source.code} = ${sourceCode}
  on conflict (${list([sourceDelays.sourceId, sourceDelays.day, sourceDelays.step].map(bare))}) do update
  set ${bare(sourceDelays.count)} = ${sourceDelays.count} + excluded.${bare(sourceDelays.count)}`,
);
