import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { instant } from '../../domain/instant.ts';
import { areas, changes, parkingSessions, pastParkingSessions } from '../db/schema/index.ts';
import {
  columns,
  jsonArray,
  list,
  primaryKeyOf,
  type RowOf,
  type TupleOf,
  tableAs,
  uuidOf,
} from '../db/sql.ts';
import type { RecordedSession, SessionChange } from './recorded.ts';

const change = alias(changes, 'change');

/** The id of the call that made the change at an instant; null once it is no longer kept. */
export const requestAt = (municipalityId: SQLWrapper, recordedAt: SQLWrapper): SQL<string | null> =>
  sql<
    string | null
  >`(select ${uuidOf(change.requestId)} from ${tableAs(changes, change, primaryKeyOf(changes))}
    where ${change.municipalityId} = ${municipalityId} and ${change.recordedAt} = ${recordedAt})`;

const BY_KEY = primaryKeyOf(pastParkingSessions);
const session = alias(parkingSessions, 'session');
const past = alias(pastParkingSessions, 'past');
const next = alias(pastParkingSessions, 'next');
const before = alias(pastParkingSessions, 'before');
const own = alias(parkingSessions, 'own');
const area = alias(areas, 'area');
const leftArea = alias(areas, 'left_area');

const VERSION = [
  'id',
  'municipalityId',
  'plate',
  'areaId',
  'startsAt',
  'endsAt',
  'cancelledAt',
  'revision',
  'recordedAt',
] as const;
/** A column of `version`, a row of {@link presentVersions} or {@link pastVersions}. */
export const ofVersion = (name: string): SQL => sql.raw(`version.${name}`);
const v = ofVersion;

interface Versions {
  /** The ids of municipalities, a JSON list. */
  readonly ids: SQL;
  readonly plate: SQL;
  /** For each municipality. */
  readonly max: SQL;
}

/** The present versions of a plate, in no order. */
export const presentVersions = ({ ids, plate, max }: Versions): SQL => sql`
select * from (select ${list(VERSION.map((name) => session[name]))}, null as replaced_at
  from json_each(${ids}) as held cross join ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
  where ${session.municipalityId} = held.value and ${session.plate} = ${plate} limit ${max})`;

/**
 * The past versions of a plate, in the order in which they were recorded.
 *
 * @param after the last version of the previous page: when it was recorded, and its session's id
 */
export const pastVersions = (
  { ids, plate, max }: Versions,
  after: { readonly at: SQL; readonly id: SQL },
): SQL => sql`
select ${list(VERSION.map((name) => past[name]))}, ${past.replacedAt}
from json_each(${ids}) as held cross join json_each((select json_group_array(json_array(id, replaced_at)) from (
  select ${past.id} as id, ${past.replacedAt} as replaced_at from ${tableAs(pastParkingSessions, past, 'past_parking_sessions_by_plate')}
  where ${past.municipalityId} = held.value and ${past.plate} = ${plate} and (${past.recordedAt}, ${past.id}) > (${after.at}, ${after.id})
  order by ${past.recordedAt}, ${past.id} limit ${max}
))) as one
cross join ${tableAs(pastParkingSessions, past, BY_KEY)} on ${past.id} = one.value ->> 0 and ${past.replacedAt} = one.value ->> 1
order by ${past.recordedAt}, ${past.id} limit ${max}`;

/** Whether the version that replaced a past one has another plate. */
const HAS_LEFT = sql`coalesce(
      (select ${next.plate} from ${tableAs(pastParkingSessions, next, BY_KEY)} where ${next.id} = ${v('id')} and ${next.replacedAt} > ${v('replaced_at')} order by ${next.replacedAt} limit 1),
      ${own.plate}) <> ${v('plate')}`;

const SESSION_VERSION = {
  id: sql<number>`${v('id')}`,
  municipality_id: sql<number>`${v('municipality_id')}`,
  plate: sql<string>`${v('plate')}`,
  source_code: sql<string>`${own.sourceCode}`,
  key: sql<string>`${own.sessionId}`,
  area_code: sql<string>`${area.code}`,
  starts_at: sql<number>`${v('starts_at')}`,
  ends_at: sql<number | null>`${v('ends_at')}`,
  cancelled_at: sql<number | null>`${v('cancelled_at')}`,
  revision: sql<number | null>`${v('revision')}`,
  recorded_at: sql<number>`${v('recorded_at')}`,
  request_id: requestAt(v('municipality_id'), v('recorded_at')),
  /** The code of the area that the session left; null if it did not move. */
  left_area_code: sql<
    string | null
  >`(select ${leftArea.code} from ${tableAs(pastParkingSessions, before, BY_KEY)}
    cross join ${tableAs(areas, leftArea)} on ${leftArea.id} = ${before.areaId}
    where ${before.id} = ${v('id')} and ${before.replacedAt} = ${v('recorded_at')} and ${before.plate} = ${v('plate')} and ${before.areaId} <> ${v('area_id')})`,
  /** When the session got another plate; null if it did not. */
  left_at: sql<
    number | null
  >`iif(${v('replaced_at')} is not null and ${HAS_LEFT}, ${v('replaced_at')}, null)`,
  left_by: sql<
    string | null
  >`iif(${v('replaced_at')} is null, null, ${requestAt(v('municipality_id'), v('replaced_at'))})`,
} as const;
export type SessionVersionRow = RowOf<typeof SESSION_VERSION>;

/** The columns of a {@link SessionVersionRow}, for a select from {@link VERSION_ROWS}. */
export const SESSION_VERSION_COLUMNS = columns(SESSION_VERSION);

/** `version`, joined with its session and its area. Begins with the alias: put the versions before it. */
export const VERSION_ROWS = sql`version
cross join ${tableAs(parkingSessions, own)} on ${own.id} = ${v('id')}
cross join ${tableAs(areas, area)} on ${area.id} = ${v('area_id')}`;

/**
 * The present version as JSON, a {@link FollowingTuple}, if it replaced this version and has the same plate; else null.
 *
 * @param isAsked whether to read it for this row
 */
export const following = (isAsked: SQL): SQL<string | null> =>
  sql<
    string | null
  >`iif(${isAsked} and ${own.recordedAt} = ${v('replaced_at')} and ${own.plate} = ${v('plate')}, ${jsonArray(FOLLOWING)}, null)`;

const FOLLOWING = [
  sql<string>`(select ${leftArea.code} from ${tableAs(areas, leftArea)} where ${leftArea.id} = ${own.areaId})`,
  own.startsAt,
  own.endsAt,
  own.cancelledAt,
  own.revision,
  own.recordedAt,
  requestAt(own.municipalityId, own.recordedAt),
] as const;
type FollowingTuple = TupleOf<typeof FOLLOWING>;

/** The row of the version that {@link following} found. */
export function followingRow(row: SessionVersionRow, json: string): SessionVersionRow {
  // The shape that the statement selects.
  const tuple = JSON.parse(json) as FollowingTuple;
  const [area_code, starts_at, ends_at, cancelled_at, revision, recorded_at, request_id] = tuple;
  return {
    ...row,
    ...{ area_code, starts_at, ends_at, cancelled_at, revision, recorded_at, request_id },
    ...{ left_at: null, left_by: null },
  };
}

/** The changes that a version stands for: its own, and a second one if the plate left the session afterwards. */
export function sessionChanges(row: SessionVersionRow): SessionChange[] {
  const { key, source_code: sourceCode, area_code, starts_at, ends_at, cancelled_at, revision, plate } = row;
  const record: RecordedSession = {
    session_id: key,
    plate,
    area_code,
    starts_at,
    ends_at,
    cancelled_at,
    revision,
  };
  const common = { kind: 'parking_session', key, sourceCode } as const;
  const version: SessionChange = {
    ...common,
    recordedAt: instant(row.recorded_at),
    requestId: row.request_id,
    leftAreaCode: row.left_area_code,
    record,
  };
  const { left_at } = row;
  return left_at === null
    ? [version]
    : [
        version,
        {
          ...common,
          recordedAt: instant(left_at),
          requestId: row.left_by,
          leftAreaCode: area_code,
          record: null,
        },
      ];
}
