import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { LIVING_IDS } from '../admin/living-parts.ts';
import type { CallRow } from '../admin/logged-call.ts';
import { type CallTable, hasRequestId, LOGGED_CALLS, PLATES_OF_CALLS } from '../call-log/calls-parts.ts';
import {
  areas,
  municipalities,
  parkingSessions,
  payments,
  subscriptionAreas,
  subscriptionTypes,
} from '../db/schema/index.ts';
import {
  columns,
  jsonArray,
  jsonRows,
  literal,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  type TupleOf,
  tableAs,
} from '../db/sql.ts';
import {
  following,
  ofVersion,
  pastVersions,
  requestAt,
  SESSION_VERSION_COLUMNS,
  type SessionVersionRow,
  VERSION_ROWS,
} from '../history/session-versions-parts.ts';
import { type SubscriptionsPage, sharedOfPage, spansOfPage } from '../history/subscription-versions-parts.ts';
import {
  someSubscriptionsOfPlate,
  subscription,
  WHOLE_SUBSCRIPTION_JSON,
} from '../lookups/plate-subscriptions-table.ts';
import { CHANGED, PAYMENT_JSON, payment } from '../recorded-payments/payment-parts.ts';

/**
 * Parameter 1: ids of municipalities, a JSON list; 2: the plate; except for sessions, which are small and have a position of
 * their own, 3: where to go on from; 4: how many.
 */
const PLATE = parameter(2);
const AFTER = parameter(3);
const LIMIT = parameter(4);
/** 5: how many bytes, but for the first row's. */
const MAX_BYTES = parameter(5);

/** Rows of which each says its `bytes`, as `page`, as far as the most bytes go. They are asked for in their order. */
const asFarAsBytes = (rows: SQL): SQL => sql`(
  select * from (
    select *, coalesce(sum(bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before from (${rows})
  ) where bytes_before < ${MAX_BYTES}
) as page`;
/** What each row of such a page says of its size. */
const BYTES = sql<number>`page.bytes`;

/** How large a row is. */
export interface Sized {
  readonly bytes: number;
}

const session = alias(parkingSessions, 'session');
const candidate = alias(parkingSessions, 'candidate');
const area = alias(areas, 'area');

const SESSION = {
  id: session.id,
  municipality_id: session.municipalityId,
  source_code: session.sourceCode,
  session_id: session.sessionId,
  runs_until: sql<number>`${session.runsUntil}`,
  area_code: area.code,
  starts_at: session.startsAt,
  ends_at: session.endsAt,
  cancelled_at: session.cancelledAt,
  revision: session.revision,
  recorded_at: session.recordedAt,
  request_id: requestAt(session.municipalityId, session.recordedAt),
} as const;
export type ExportedSessionRow = RowOf<typeof SESSION>;

/**
 * Parameters 3 and 4: the end and the id of the session to go on from; 5: how many. In the order of the plate's index, so that
 * no session that was answered is read again.
 */
export const SESSIONS = statement(
  () => sql`select ${columns(SESSION)} from json_each(${LIVING_IDS}) as held
cross join json_each((select json_group_array(id) from (
  select ${candidate.id} as id from ${tableAs(parkingSessions, candidate, 'parking_sessions_by_plate')}
  where ${candidate.municipalityId} = held.value and ${candidate.plate} = ${PLATE}
    and (${candidate.runsUntil}, ${candidate.id}) > (${parameter(3)}, ${parameter(4)})
  order by ${candidate.runsUntil}, ${candidate.id} limit ${parameter(5)}
))) as next
cross join ${tableAs(parkingSessions, session)} on ${session.id} = next.value
cross join ${tableAs(areas, area)} on ${area.id} = ${session.areaId}
order by ${session.runsUntil}, ${session.id} limit ${parameter(5)}`,
);

const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const subscriptionArea = alias(subscriptionAreas, 'subscription_area');
const SUBSCRIPTION = [
  subscription.id,
  WHOLE_SUBSCRIPTION_JSON,
  subscriptionType.code,
  subscription.revision,
  sql<
    string[]
  >`${jsonRows(area.code, sql`from ${tableAs(subscriptionAreas, subscriptionArea, primaryKeyOf(subscriptionAreas))} cross join ${tableAs(areas, area)} on ${area.id} = ${subscriptionArea.areaId} where ${subscriptionArea.subscriptionId} = ${subscription.id}`)}`,
] as const;
export type ExportedSubscriptionTuple = TupleOf<typeof SUBSCRIPTION>;

const SUBSCRIPTION_ROWS = sql`select ${columns({
  id: subscription.id,
  municipality_id: subscription.municipalityId,
  subscription: jsonArray(SUBSCRIPTION),
})} from ${someSubscriptionsOfPlate({ ids: LIVING_IDS, plate: PLATE, after: AFTER, max: LIMIT })}
join ${tableAs(subscriptionTypes, subscriptionType)} on ${subscriptionType.id} = ${subscription.typeId} order by own.subscription_id`;

/** `subscription` is JSON of an {@link ExportedSubscriptionTuple}. */
export const SUBSCRIPTIONS = statement(
  () =>
    sql`select * from ${asFarAsBytes(sql`select *, octet_length(subscription) as bytes from (${SUBSCRIPTION_ROWS})`)} order by id`,
);
export interface ExportedSubscriptionRow extends Sized {
  readonly id: number;
  readonly municipality_id: number;
  readonly subscription: string;
}

/** `following`: JSON of the version behind it, where that is the present and was stored since the export began. */
export type ExportedVersionRow = SessionVersionRow & {
  readonly replaced_at: number;
  readonly following: string | null;
};

/**
 * Parameters 3 and 4: the instant and the session's id of the version to go on from; 5: how many; 6: when the export began. The
 * versions of sessions that were replaced, in the order in which they were recorded.
 */
export const PAST_SESSIONS = statement(
  () => sql`select ${SESSION_VERSION_COLUMNS}, ${following(sql`${ofVersion('replaced_at')} >= ${parameter(6)}`)} as following
from (${pastVersions(
    { ids: LIVING_IDS, plate: PLATE, max: parameter(5) },
    { at: parameter(3), id: parameter(4) },
  )}) as ${VERSION_ROWS}
order by ${ofVersion('recorded_at')}, ${ofVersion('id')}`,
);

/** The most of a page of what became of subscriptions. Their records are read of those alone that are answered. */
export const MAX_OF_CHANGES = { subscriptions: 100, versions: 1_000, spans: 20_000, bytes: 512 * 1024 };

const CHANGES: SubscriptionsPage = {
  ids: LIVING_IDS,
  plate: PLATE,
  fromId: AFTER,
  fromAt: LIMIT,
  max: {
    subscriptions: literal(MAX_OF_CHANGES.subscriptions),
    versions: literal(MAX_OF_CHANGES.versions),
    spans: literal(MAX_OF_CHANGES.spans),
    bytes: literal(MAX_OF_CHANGES.bytes),
  },
};
/** 3 and 4: the subscription to go on from, and the first instant of it. */
export const SPANS = statement(() => spansOfPage(CHANGES));
export const SHARED_VERSIONS = statement(() => sharedOfPage(CHANGES));

const PAYMENT = {
  municipality_id: payment.municipalityId,
  municipality_name: municipalities.name,
  payment: PAYMENT_JSON,
} as const;
export type ExportedPaymentRow = RowOf<typeof PAYMENT>;

/** Parameters 3 and 4: the collection and the key of the payment to go on from; 5: how many. */
export const PAYMENTS = statement(
  () => sql`select ${columns(PAYMENT)} from json_each(${LIVING_IDS}) as held
cross join ${municipalities} on ${municipalities.id} = held.value
cross join ${tableAs(payments, payment, 'payments_by_plate')} on ${payment.municipalityId} = held.value and ${payment.plate} = ${PLATE}
${CHANGED} where (${payment.collectedAt}, ${payment.paymentId}) > (${parameter(3)}, ${parameter(4)})
order by ${payment.collectedAt}, ${payment.paymentId} limit ${parameter(5)}`,
);

export type ExportedCallRow = CallRow & Sized;
const callsIn = ({ from, columns: of, hasDigestIn, since, order }: CallTable): SQL => sql`select * from (
  select ${of.requestId} as request_id, ${of.at} as at,
    coalesce(octet_length(${of.request}), 0) + coalesce(octet_length(${of.response}), 0) as bytes
  from ${from}
  where ${hasDigestIn(parameter(1))} and coalesce(${of.tenant}, ${parameter(6)}) = ${parameter(6)}
    and ${since(parameter(2))} and (${of.at}, ${of.requestId}) > (${parameter(2)}, ${parameter(3)})
  order by ${order} limit ${LIMIT})`;
/** Each once: a patrol may be about the plate more than once. */
const ofPlate = sql.join([LOGGED_CALLS, PLATES_OF_CALLS].map(callsIn), sql` union `);

/**
 * Parameter 1: the digests, a JSON list; 2 and 3: the instant and the id to go on from; 4 and 5 as above; 6: the tenant,
 * whose code may be another one's municipality's.
 */
export const CALLS = statement(
  () => sql`with page as materialized (
  select * from ${asFarAsBytes(sql`select * from (${ofPlate}) order by at, request_id limit ${LIMIT}`)}
)
select ${columns(LOGGED_CALLS.columns)}, ${columns({ bytes: BYTES })}
from page cross join ${LOGGED_CALLS.from} on ${hasRequestId(sql.raw('page.request_id'))}
order by at, "requestId"`,
);
