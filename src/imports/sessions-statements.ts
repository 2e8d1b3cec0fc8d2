import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { appendToJournal, recordedAt } from '../db/journal-sql.ts';
import { parkingSessions } from '../db/schema/index.ts';
import { aliased, bare, columns, jsonObject, list, parameter, type RowOf, statement } from '../db/sql.ts';
import { writableId } from '../db/writable.ts';
import { countChanges } from './daily-changes-table.ts';
import { NO_ERASED_COLUMNS, unionErased, unlessErased } from './erased-parts.ts';

/** Parameters 1 and 2 of every statement name the source; parameter 3 is a JSON list: ids to read, or lines. */
const MUNICIPALITY = parameter(1);
const SOURCE = parameter(2);
const LIST = parameter(3);
/** Of the statement that appends to the journal. */
const NOW = parameter(4);
const REQUEST = parameter(5);
const ERASED_UP_TO = parameter(6);

const s = alias(parkingSessions, 's');

/** The values of a line, a JSON list, in their order; behind them the code of its area. */
const LINE_COLUMNS = [
  'sessionId',
  'areaId',
  'plate',
  'startsAt',
  'endsAt',
  'cancelledAt',
  'revision',
] as const;

const at = (index: number): SQL => sql.raw(`line.value ->> ${index}`);
const lineValue = (column: (typeof LINE_COLUMNS)[number]): SQL => at(LINE_COLUMNS.indexOf(column));
const AREA_CODE = at(LINE_COLUMNS.length);

const STORED_SESSION = {
  sessionId: s.sessionId,
  areaId: s.areaId,
  plate: s.plate,
  startsAt: s.startsAt,
  endsAt: s.endsAt,
  cancelledAt: s.cancelledAt,
  revision: s.revision,
} as const;

/** A row of {@link READ_SESSIONS}. */
export type StoredSession = RowOf<typeof STORED_SESSION>;

export const READ_SESSIONS = statement(
  () => sql`
select ${columns(STORED_SESSION)}, ${NO_ERASED_COLUMNS}
from json_each(${LIST}) as wanted
cross join ${aliased(parkingSessions, s)}
  on ${s.municipalityId} = ${MUNICIPALITY} and ${s.sourceCode} = ${SOURCE} and ${s.sessionId} = wanted.value
${unionErased({
  kind: 'parking_session',
  municipality: MUNICIPALITY,
  source: SOURCE,
  keys: LIST,
  columns: Object.keys(STORED_SESSION).length,
})}`,
);

const { revision, sessionId } = parkingSessions;
const REPLACED_COLUMNS = LINE_COLUMNS.filter((name) => name !== 'sessionId' && name !== 'revision');

/** Two imports of one source may run at once: what the other has stored since is not undone where it is newer. */
export const WRITE_SESSIONS = statement(
  () => sql`
insert into ${parkingSessions} (${list(
    [s.municipalityId, s.sourceCode, ...LINE_COLUMNS.map((name) => s[name])].map(bare),
  )})
select ${writableId(MUNICIPALITY)}, ${SOURCE}, ${list(LINE_COLUMNS.map(lineValue))}
from json_each(${LIST}) as line
where true
on conflict (${list([parkingSessions.municipalityId, parkingSessions.sourceCode, sessionId].map(bare))}) do update set
  ${list(REPLACED_COLUMNS.map((name) => sql`${bare(s[name])} = excluded.${bare(s[name])}`))},
  ${bare(revision)} = coalesce(excluded.${bare(revision)}, ${revision})
where excluded.${bare(revision)} is null or ${revision} is null or excluded.${bare(revision)} >= ${revision}`,
);

/** The revision that stands after a line: a line without one leaves the session the one it has. */
const REVISION_AFTER = sql`coalesce(${lineValue('revision')}, ${s.revision})`;

/** What {@link WRITE_SESSIONS} would take of the lines, and what of that would change anything. */
const WILL_CHANGE = sql`(${s.id} is null or (
    (${lineValue('revision')} is null or ${s.revision} is null or ${lineValue('revision')} >= ${s.revision})
    and (${sql.join(
      [
        ...REPLACED_COLUMNS.map((name) => sql`${s[name]} is not ${lineValue(name)}`),
        sql`${s.revision} is not ${REVISION_AFTER}`,
      ],
      sql` or `,
    )})
  ))`;

const RECORD = jsonObject({
  session_id: lineValue('sessionId'),
  plate: lineValue('plate'),
  area_code: AREA_CODE,
  starts_at: lineValue('startsAt'),
  ends_at: lineValue('endsAt'),
  cancelled_at: lineValue('cancelledAt'),
  revision: REVISION_AFTER,
});

/** 1 in the row of the plate that a corrected session leaves. It comes first, so that the session's own is the newest. */
const LEAVES = sql.raw('side.leaves');

const LINES_BESIDE_STORED = sql`
from json_each(${LIST}) as line
left join ${aliased(parkingSessions, s)}
  on ${s.municipalityId} = ${MUNICIPALITY} and ${s.sourceCode} = ${SOURCE} and ${s.sessionId} = ${lineValue('sessionId')}`;

/** Counts what {@link WRITE_SESSIONS} is about to change: it has to come before the others, in the same transaction. */
export const COUNT_SESSIONS = statement(() =>
  countChanges(
    MUNICIPALITY,
    { day: parameter(4), count: parameter(5), mostBefore: parameter(6) },
    sql`select 1 ${LINES_BESIDE_STORED} where ${WILL_CHANGE}`,
  ),
);

/**
 * Appends what {@link WRITE_SESSIONS} is about to change: it has to come before it, in the same transaction. It compares
 * with what is stored, so that a batch that was stored, and is sent again since its answer was lost, appends nothing.
 */
export const APPEND_SESSIONS = statement(() =>
  appendToJournal(
    {
      municipalityId: unlessErased(MUNICIPALITY, ERASED_UP_TO),
      kind: sql.raw(`'parking_session'`),
      recordedAt: recordedAt(NOW),
      requestId: REQUEST,
      sourceCode: SOURCE,
      key: lineValue('sessionId'),
      plate: sql`iif(${LEAVES}, ${s.plate}, ${lineValue('plate')})`,
      areaId: sql`iif(${LEAVES}, null, ${lineValue('areaId')})`,
      leftAreaId: sql`iif(${LEAVES} or ${s.areaId} <> ${lineValue('areaId')}, ${s.areaId}, null)`,
      record: sql`iif(${LEAVES}, null, ${RECORD})`,
    },
    sql`${LINES_BESIDE_STORED}
cross join (select 1 as leaves union all select 0) as side
where ${WILL_CHANGE} and (not ${LEAVES} or ${s.plate} <> ${lineValue('plate')})`,
  ),
);
