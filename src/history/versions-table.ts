import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  areas,
  changes,
  parkingSessions,
  pastParkingSessions,
  pastSubscriptionPlates,
  pastSubscriptions,
  subscriptionAreas,
  subscriptionPeriods,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../db/schema/index.ts';
import {
  columns,
  list,
  literal,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  tableAs,
  uuidOf,
} from '../db/sql.ts';
import { instant } from '../domain/instant.ts';
import type { Change, RecordedSession, RecordedSubscription } from './recorded.ts';
import type { SubscriptionRecord } from './subscription-record.ts';

/** 1: the municipality; 2: the plate. */
const MUNICIPALITY = parameter(1);
const PLATE = parameter(2);

/** The most versions of sessions, and of spans on subscriptions, that are read of a plate, from each table. */
const MAX_VERSIONS = 10_000;
/** The most bytes of what its subscriptions have shared. */
const MAX_SHARED_BYTES = 8 * 1024 * 1024;
const ONE_MORE = literal(MAX_VERSIONS + 1);

const change = alias(changes, 'change');

/** The call that made the change of an instant; null once it is no longer kept. */
const requestAt = (recordedAt: SQLWrapper): SQL<string | null> =>
  sql<string | null>`(select ${uuidOf(change.requestId)} from ${tableAs(changes, change)}
    where ${change.municipalityId} = ${MUNICIPALITY} and ${change.recordedAt} = ${recordedAt})`;

const session = alias(parkingSessions, 'session');
const past = alias(pastParkingSessions, 'past');
const next = alias(pastParkingSessions, 'next');
const before = alias(pastParkingSessions, 'before');
const area = alias(areas, 'area');
const leftArea = alias(areas, 'left_area');
const own = alias(parkingSessions, 'own');

const VERSION = ['id', 'areaId', 'startsAt', 'endsAt', 'cancelledAt', 'revision', 'recordedAt'] as const;
const v = (name: string): SQL => sql.raw(`version.${name}`);

const SESSION_VERSION = {
  source_code: sql<string>`${own.sourceCode}`,
  key: sql<string>`${own.sessionId}`,
  area_code: area.code,
  starts_at: sql<number>`${v('starts_at')}`,
  ends_at: sql<number | null>`${v('ends_at')}`,
  cancelled_at: sql<number | null>`${v('cancelled_at')}`,
  revision: sql<number | null>`${v('revision')}`,
  recorded_at: sql<number>`${v('recorded_at')}`,
  request_id: requestAt(v('recorded_at')),
  /** The area that it was in before, where it moved. */
  left_area_code: sql<string | null>`(select ${leftArea.code} from ${tableAs(pastParkingSessions, before)}
    cross join ${tableAs(areas, leftArea)} on ${leftArea.id} = ${before.areaId}
    where ${before.id} = ${v('id')} and ${before.replacedAt} = ${v('recorded_at')} and ${before.areaId} <> ${v('area_id')})`,
  /** When the session got another plate, and by which call. */
  left_at: sql<number | null>`${v('left_at')}`,
  left_by: requestAt(v('left_at')),
  found: sql<number>`${v('found')}`,
} as const;
type SessionVersionRow = RowOf<typeof SESSION_VERSION>;

/** Whether the version behind a past one has another plate. */
const HAS_LEFT = sql`coalesce(
      (select ${next.plate} from ${tableAs(pastParkingSessions, next)} where ${next.id} = ${past.id} and ${next.replacedAt} > ${past.replacedAt} order by ${next.replacedAt} limit 1),
      (select ${own.plate} from ${tableAs(parkingSessions, own)} where ${own.id} = ${past.id})) <> ${PLATE}`;

const PAST_OF_PLATE = sql`
select ${list(VERSION.map((name) => past[name]))}, iif(${HAS_LEFT}, ${past.replacedAt}, null) as left_at
from ${tableAs(pastParkingSessions, past, 'past_parking_sessions_by_plate')}
where ${past.municipalityId} = ${MUNICIPALITY} and ${past.plate} = ${PLATE} limit ${ONE_MORE}`;

const PRESENT_OF_PLATE = sql`
select ${list(VERSION.map((name) => session[name]))}, null as left_at
from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
where ${session.municipalityId} = ${MUNICIPALITY} and ${session.plate} = ${PLATE} limit ${ONE_MORE}`;

/**
 * 3 and 4: a time. The versions of the plate's sessions that touch it, or were recorded in it or left in it, in the order of
 * recording. An open-ended one touches every later time.
 */
export const SESSION_VERSIONS = statement(() => {
  const [from, until] = [parameter(3), parameter(4)];
  const isWithin = (at: SQL): SQL => sql`(${at} >= ${from} and ${at} < ${until})`;
  return sql`
select ${columns(SESSION_VERSION)} from (
  select *, count(*) over () as found from (select * from (${PRESENT_OF_PLATE}) union all select * from (${PAST_OF_PLATE}))
) as version
cross join ${tableAs(parkingSessions, own)} on ${own.id} = version.id
cross join ${tableAs(areas, area)} on ${area.id} = version.area_id
where ${isWithin(v('recorded_at'))} or ${isWithin(v('left_at'))}
  or (${v('starts_at')} < ${until} and coalesce(${v('ends_at')}, ${until}) >= ${from})
order by version.recorded_at, version.id limit ${ONE_MORE}`;
});

const span = alias(subscriptionPlates, 'span');
const pastSpan = alias(pastSubscriptionPlates, 'past_span');
const subscription = alias(subscriptions, 'subscription');
const version = alias(pastSubscriptions, 'shared_version');

const SPANS = sql`
select * from (select ${span.subscriptionId} as id, ${span.validFrom} as valid_from, ${span.validUntil} as valid_until, ${span.recordedAt} as recorded_at, null as replaced_at
  from ${tableAs(subscriptionPlates, span, 'subscription_plates_by_plate')}
  where ${span.municipalityId} = ${MUNICIPALITY} and ${span.plate} = ${PLATE} limit ${ONE_MORE})
union all
select * from (select ${pastSpan.subscriptionId}, ${pastSpan.validFrom}, ${pastSpan.validUntil}, ${pastSpan.recordedAt}, ${pastSpan.replacedAt}
  from ${tableAs(pastSubscriptionPlates, pastSpan, 'past_subscription_plates_by_plate')}
  where ${pastSpan.municipalityId} = ${MUNICIPALITY} and ${pastSpan.plate} = ${PLATE} limit ${ONE_MORE})`;

interface SpanRow {
  readonly id: number;
  readonly valid_from: number | null;
  readonly valid_until: number | null;
  readonly recorded_at: number;
  readonly recorded_by: string | null;
  readonly replaced_at: number | null;
  readonly replaced_by: string | null;
  readonly found: number;
}

/** The spans of the plate on subscriptions, past ones too. */
export const SPAN_VERSIONS = statement(
  () => sql`
select one.*, ${requestAt(sql.raw('one.recorded_at'))} as recorded_by, ${requestAt(sql.raw('one.replaced_at'))} as replaced_by, count(*) over () as found
from (${SPANS}) as one limit ${ONE_MORE}`,
);

const type = alias(subscriptionTypes, 'type');
const period = alias(subscriptionPeriods, 'period');
const allowed = alias(subscriptionAreas, 'allowed');
const allowedArea = alias(areas, 'allowed_area');

/** A subscription of today as a {@link SubscriptionRecord}. */
const PRESENT_RECORD = sql`json_object(
    'type', (select ${type.code} from ${tableAs(subscriptionTypes, type)} where ${type.id} = ${subscription.typeId}),
    'approval', ${subscription.approval},
    'areas', iif(${subscription.allAreas}, 'all', (
      select json_group_array(${allowedArea.code} order by ${allowedArea.code})
      from ${tableAs(subscriptionAreas, allowed, primaryKeyOf(subscriptionAreas))} cross join ${tableAs(areas, allowedArea)} on ${allowedArea.id} = ${allowed.areaId}
      where ${allowed.subscriptionId} = ${subscription.id})),
    'periods', (select json_group_array(json_array(${period.startsAt}, ${period.endsAt}) order by ${period.startsAt})
      from ${tableAs(subscriptionPeriods, period, primaryKeyOf(subscriptionPeriods))} where ${period.subscriptionId} = ${subscription.id}),
    'authorized_from', ${subscription.authorizedFrom}, 'authorized_until', ${subscription.authorizedUntil},
    'suspended_from', ${subscription.suspendedFrom}, 'suspended_until', ${subscription.suspendedUntil},
    'revoked_at', ${subscription.revokedAt}, 'revision', ${subscription.revision})`;

interface SharedRow {
  readonly id: number;
  readonly number: string;
  /** JSON of a {@link SubscriptionRecord}. */
  readonly record: string;
  readonly recorded_at: number;
  readonly recorded_by: string | null;
  readonly replaced_at: number | null;
  readonly found: number;
}

/** What the subscriptions of the plate have shared, version by version, as far as that is read. */
export const SHARED_VERSIONS = statement(
  () => sql`
with own as materialized (select distinct id from (${SPANS}))
select id, number, record, recorded_at, ${requestAt(sql.raw('recorded_at'))} as recorded_by, replaced_at, found from (
  select *, count(*) over () as found, sum(octet_length(record)) over (order by id, recorded_at) as bytes from (
    select * from (select ${subscription.id} as id, ${subscription.subscriptionNumber} as number, ${PRESENT_RECORD} as record, ${subscription.recordedAt} as recorded_at, null as replaced_at
      from own cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = own.id limit ${ONE_MORE})
    union all
    select * from (select ${version.id}, ${subscription.subscriptionNumber}, ${version.record}, ${version.recordedAt}, ${version.replacedAt}
      from own cross join ${tableAs(pastSubscriptions, version)} on ${version.id} = own.id
      cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = own.id limit ${ONE_MORE})
  )
) where bytes <= ${literal(MAX_SHARED_BYTES)} order by id, recorded_at`,
);

/** The versions of a plate, and whether these are all that the plate has. */
export interface Versions {
  /** In the order of recording. */
  readonly changes: readonly Change[];
  readonly areWhole: boolean;
}

/** The statements that read the versions of a plate around a time. */
export const versionStatements = (
  db: D1Database | D1DatabaseSession,
  municipalityId: number,
  plate: string,
  window: { readonly from: number; readonly until: number },
): [D1PreparedStatement, D1PreparedStatement, D1PreparedStatement] => [
  db.prepare(SESSION_VERSIONS()).bind(municipalityId, plate, window.from, window.until),
  db.prepare(SPAN_VERSIONS()).bind(municipalityId, plate),
  db.prepare(SHARED_VERSIONS()).bind(municipalityId, plate),
];

/** What these statements have read. */
export function versionsOf(plate: string, results: readonly D1Result[]): Versions {
  // In the order of the statements, whose rows they are.
  const [sessions, spans, shared] = results as unknown as [
    D1Result<SessionVersionRow>,
    D1Result<SpanRow>,
    D1Result<SharedRow>,
  ];
  const found = [sessions, spans, shared].map(({ results: [row] }) => row?.found ?? 0);
  return {
    changes: [
      ...sessions.results.flatMap((row) => sessionChanges(row, plate)),
      ...subscriptionChanges(spans.results, shared.results),
    ].sort((one, other) => one.recordedAt - other.recordedAt),
    areWhole:
      found.every((count) => count <= MAX_VERSIONS) &&
      shared.results.length === (shared.results[0]?.found ?? 0),
  };
}

/** A version of a session, and where the plate left it. */
function sessionChanges(row: SessionVersionRow, plate: string): Change[] {
  const { key, source_code: sourceCode, area_code, starts_at, ends_at, cancelled_at, revision } = row;
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
  const left = row.left_at;
  return [
    {
      ...common,
      recordedAt: instant(row.recorded_at),
      requestId: row.request_id,
      leftAreaCode: row.left_area_code,
      record,
    },
    ...(left === null
      ? []
      : [
          {
            ...common,
            recordedAt: instant(left),
            requestId: row.left_by,
            leftAreaCode: area_code,
            record: null,
          },
        ]),
  ];
}

const holds = (
  { recorded_at, replaced_at }: { readonly recorded_at: number; readonly replaced_at: number | null },
  at: number,
): boolean => recorded_at <= at && (replaced_at === null || at < replaced_at);

/** What became of the plate's subscriptions: a change at each instant at which one of its spans or what it shared changed. */
function subscriptionChanges(spans: readonly SpanRow[], shared: readonly SharedRow[]): Change[] {
  const spansById = Map.groupBy(spans, ({ id }) => id);
  const sharedById = Map.groupBy(shared, ({ id }) => id);
  return [...spansById].flatMap(([id, own]) => {
    const versions = sharedById.get(id) ?? [];
    const calls = new Map<number, string | null>();
    for (const { recorded_at, recorded_by, replaced_at, replaced_by } of own) {
      calls.set(recorded_at, recorded_by);
      if (replaced_at !== null) {
        calls.set(replaced_at, replaced_by);
      }
    }
    for (const { recorded_at, recorded_by } of versions) {
      calls.set(recorded_at, recorded_by);
    }
    const found: Change[] = [];
    let isOn = false;
    for (const at of [...calls.keys()].sort((one, other) => one - other)) {
      const entries = own.filter((one) => holds(one, at));
      const version = versions.find((one) => holds(one, at));
      if (version === undefined || (entries.length === 0 && !isOn)) {
        continue;
      }
      isOn = entries.length > 0;
      found.push({
        kind: 'subscription',
        sourceCode: null,
        key: version.number,
        recordedAt: instant(at),
        requestId: calls.get(at) ?? null,
        record: isOn ? recordOf(version, entries) : null,
      });
    }
    return found;
  });
}

function recordOf({ number, record }: SharedRow, spans: readonly SpanRow[]): RecordedSubscription {
  // The shape is that of the statement, and of what imports keep.
  const shared = JSON.parse(record) as SubscriptionRecord;
  const order = ({ valid_from, valid_until }: SpanRow): string => `${valid_from} ${valid_until}`;
  return {
    subscription_number: number,
    type: shared.type,
    plates: spans
      .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
      .map(({ valid_from, valid_until }) => ({ valid_from, valid_until })),
    approval: shared.approval,
    authorized_from: shared.authorized_from ?? null,
    authorized_until: shared.authorized_until ?? null,
    areas: shared.areas,
    suspended_from: shared.suspended_from ?? null,
    suspended_until: shared.suspended_until ?? null,
    revoked_at: shared.revoked_at ?? null,
    revision: shared.revision ?? null,
    periods: shared.periods.map(([starts_at, ends_at]) => ({ starts_at, ends_at })),
  };
}
