import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  span,
  subscription,
  VALIDITY,
  WHOLE_SUBSCRIPTION_JSON,
} from '../../core/entitlement/plate-subscriptions-table.ts';
import { CHANGED, PAYMENT_JSON, payment } from '../../core/recorded-payments/payment-parts.ts';
import type { Plate } from '../../domain/plate.ts';
import {
  type CallTable,
  hasRequestId,
  LOGGED_CALLS,
  PLATES_OF_CALLS,
} from '../../storage/call-log/calls-parts.ts';
import { livingIds } from '../../storage/databases/living-parts.ts';
import type { Json } from '../../storage/db/json.ts';
import {
  areas,
  municipalities,
  parkingSessions,
  payments,
  subscriptionAreas,
  subscriptionPlates,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';
import {
  columns,
  jsonArray,
  jsonRows,
  literal,
  primaryKeyOf,
  type RowOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import {
  type Parameters,
  type RowIn,
  select,
  statement,
  type ValuesOf,
  value,
} from '../../storage/db/statement.ts';
import {
  following,
  ofVersion,
  pastVersions,
  requestAt,
  SESSION_VERSION_COLUMNS,
  type SessionVersionRow,
  VERSION_ROWS,
} from '../../storage/history/session-versions-parts.ts';
import {
  type SubscriptionsPage,
  sharedOfPage,
  spansOfPage,
} from '../../storage/history/subscription-versions-parts.ts';
import type { CallRow } from '../administration/logged-call.ts';

/** The ids of the municipalities, and the plate. */
const HELD = { ids: value<Json<readonly number[]>>(), plate: value<Plate>() };
/** How many bytes, but for the first row's. */
const MAX_BYTES = { maxBytes: value<number>() };

/** Rows of which each says its `bytes`, as `page`, as far as the most bytes go. They are asked for in their order. */
const asFarAsBytes = (rows: SQL, maxBytes: SQL): SQL => sql`(
    select * from (
      select *,
        coalesce(sum(bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (${rows})
    )
    where bytes_before < ${maxBytes}
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

/** In the order of the plate's index, so that no session that was answered is read again. */
export const SESSIONS = statement(
  {
    ...HELD,
    /** The session to go on from. */
    afterEnd: value<number>(),
    afterId: value<number>(),
    max: value<number>(),
  },
  ({ ids, plate, afterEnd, afterId, max }) =>
    select(
      SESSION,
      sql`
  from json_each(${livingIds(ids)}) as held
  cross join json_each((
    select json_group_array(id)
    from (
      select ${candidate.id} as id
      from ${tableAs(parkingSessions, candidate, 'parking_sessions_by_plate')}
      where ${candidate.municipalityId} = held.value
        and ${candidate.plate} = ${plate}
        and (${candidate.runsUntil}, ${candidate.id}) > (${afterEnd}, ${afterId})
      order by ${candidate.runsUntil}, ${candidate.id}
      limit ${max}
    )
  )) as next
  cross join ${tableAs(parkingSessions, session)} on ${session.id} = next.value
  cross join ${tableAs(areas, area)} on ${area.id} = ${session.areaId}
  order by ${session.runsUntil}, ${session.id}
  limit ${max}`,
    ),
);

const nextSpan = alias(subscriptionPlates, 'next_span');
const subscriptionType = alias(subscriptionTypes, 'subscription_type');
const subscriptionArea = alias(subscriptionAreas, 'subscription_area');
const SUBSCRIPTION = [
  subscription.id,
  WHOLE_SUBSCRIPTION_JSON,
  subscriptionType.code,
  subscription.revision,
  sql<string[]>`${jsonRows(
    area.code,
    sql`
    from ${tableAs(subscriptionAreas, subscriptionArea, primaryKeyOf(subscriptionAreas))}
    cross join ${tableAs(areas, area)} on ${area.id} = ${subscriptionArea.areaId}
    where ${subscriptionArea.subscriptionId} = ${subscription.id}`,
  )}`,
] as const;
export type ExportedSubscriptionTuple = TupleOf<typeof SUBSCRIPTION>;

export interface ExportedSubscriptionRow extends Sized {
  readonly id: number;
  readonly municipality_id: number;
  readonly subscription: Json<ExportedSubscriptionTuple>;
}

export const SUBSCRIPTIONS = statement(
  {
    ...HELD,
    /** The id of the subscription to go on from. */
    after: value<number>(),
    max: value<number>(),
    ...MAX_BYTES,
  },
  ({ ids, plate, after, max, maxBytes }) => {
    const rows = sql`
        select ${columns({
          id: subscription.id,
          municipality_id: subscription.municipalityId,
          subscription: jsonArray(SUBSCRIPTION),
        })}
        from (
          select ${span.subscriptionId} as subscription_id, json_group_array(${jsonArray(VALIDITY)}) as validity
          from json_each(${livingIds(ids)}) as held
          cross join ${tableAs(subscriptionPlates, span)}
            on ${span.municipalityId} = held.value
            and ${span.plate} = ${plate}
            and ${span.subscriptionId} in (
              select distinct ${nextSpan.subscriptionId}
              from ${tableAs(subscriptionPlates, nextSpan)} indexed by subscription_plates_by_plate
              where ${nextSpan.municipalityId} = held.value
                and ${nextSpan.plate} = ${plate}
                and ${nextSpan.subscriptionId} > ${after}
              order by ${nextSpan.subscriptionId}
              limit ${max}
            )
          group by ${span.subscriptionId}
          order by ${span.subscriptionId}
          limit ${max}
        ) own
        cross join ${tableAs(subscriptions, subscription)} on ${subscription.id} = own.subscription_id
        join ${tableAs(subscriptionTypes, subscriptionType)} on ${subscriptionType.id} = ${subscription.typeId}
        order by own.subscription_id`;
    return sql<ExportedSubscriptionRow>`
  select *
  from ${asFarAsBytes(sql`select *, octet_length(subscription) as bytes from (${rows})`, maxBytes)}
  order by id`;
  },
);

/** `following`: the version behind it, where that is the present and was stored since the export began. */
export type ExportedVersionRow = SessionVersionRow & {
  readonly replaced_at: number;
  readonly following: string | null;
};

/** The versions of sessions that were replaced, in the order in which they were recorded. */
export const PAST_SESSIONS = statement(
  {
    ...HELD,
    /** The version to go on from: when it was recorded, and its session's id. */
    afterAt: value<number>(),
    afterId: value<number>(),
    max: value<number>(),
    /** When the export began. */
    began: value<number>(),
  },
  ({ ids, plate, afterAt, afterId, max, began }) => sql<ExportedVersionRow>`
  select ${SESSION_VERSION_COLUMNS}, ${following(sql`${ofVersion('replaced_at')} >= ${began}`)} as following
  from (${pastVersions({ ids: livingIds(ids), plate, max }, { at: afterAt, id: afterId })}) as ${VERSION_ROWS}
  order by ${ofVersion('recorded_at')}, ${ofVersion('id')}`,
);

/** The most of a page of what became of subscriptions. Their records are read of those alone that are answered. */
export const MAX_OF_CHANGES = { subscriptions: 100, versions: 1_000, spans: 20_000, bytes: 512 * 1024 };

const MAX_CHANGES: SubscriptionsPage['max'] = {
  subscriptions: literal(MAX_OF_CHANGES.subscriptions),
  versions: literal(MAX_OF_CHANGES.versions),
  spans: literal(MAX_OF_CHANGES.spans),
  bytes: literal(MAX_OF_CHANGES.bytes),
};

/** The subscription to go on from, and the first instant of it. */
const CHANGES = { ...HELD, fromId: value<number>() };
export const SPANS = statement(CHANGES, ({ ids, plate, fromId }) =>
  spansOfPage({ ids: livingIds(ids), plate, fromId, fromAt: literal(0), max: MAX_CHANGES }),
);
export const SHARED_VERSIONS = statement(
  { ...CHANGES, fromAt: value<number>() },
  ({ ids, plate, fromId, fromAt }) =>
    sharedOfPage({ ids: livingIds(ids), plate, fromId, fromAt, max: MAX_CHANGES }),
);

/** The collection and the key of the payment to go on from. */
const FURTHER_PAYMENTS = {
  ...HELD,
  afterAt: value<number>(),
  after: value<string>(),
  max: value<number>(),
};
export const PAYMENTS = statement(FURTHER_PAYMENTS, ({ ids, plate, afterAt, after, max }) =>
  select(
    {
      municipality_id: payment.municipalityId,
      municipality_name: municipalities.name,
      payment: PAYMENT_JSON,
    },
    sql`
    from json_each(${livingIds(ids)}) as held
    cross join ${municipalities} on ${municipalities.id} = held.value
    cross join ${tableAs(payments, payment, 'payments_by_plate')}
      on ${payment.municipalityId} = held.value
      and ${payment.plate} = ${plate}
    ${CHANGED}
    where (${payment.collectedAt}, ${payment.paymentId}) > (${afterAt}, ${after})
    order by ${payment.collectedAt}, ${payment.paymentId}
    limit ${max}`,
  ),
);
export type ExportedPaymentRow = RowIn<typeof PAYMENTS>;

export type ExportedCallRow = CallRow & Sized;

const CALLS_OF_PLATE = {
  digests: value<Json<readonly string[]>>(),
  /** The call to go on from. */
  afterAt: value<number>(),
  afterId: value<string>(),
  max: value<number>(),
  ...MAX_BYTES,
  /** The code of one may be that of another one's municipality. */
  tenant: value<string>(),
};

const callsIn = (
  { from, columns: of, hasDigestIn, since, order }: CallTable,
  { digests, afterAt, afterId, max, tenant }: Parameters<ValuesOf<typeof CALLS_OF_PLATE>>,
): SQL => sql`
      select * from (
        select ${of.requestId} as request_id,
          ${of.at} as at,
          coalesce(octet_length(${of.request}), 0) + coalesce(octet_length(${of.response}), 0) as bytes
        from ${from}
        where ${hasDigestIn(digests)}
          and coalesce(${of.tenant}, ${tenant}) = ${tenant}
          and ${since(afterAt)}
          and (${of.at}, ${of.requestId}) > (${afterAt}, ${afterId})
        order by ${order}
        limit ${max}
      )`;

/** Each call once: a patrol may be about the plate more than once. */
export const CALLS = statement(CALLS_OF_PLATE, (parameters) => {
  const { max, maxBytes } = parameters;
  const ofPlate = sql`${callsIn(LOGGED_CALLS, parameters)} union ${callsIn(PLATES_OF_CALLS, parameters)}`;
  return sql<ExportedCallRow>`
  with page as materialized (
    select *
    from ${asFarAsBytes(sql`select * from (${ofPlate}) order by at, request_id limit ${max}`, maxBytes)}
  )
  select ${columns(LOGGED_CALLS.columns)}, ${columns({ bytes: BYTES })}
  from page
  cross join ${LOGGED_CALLS.from} on ${hasRequestId(sql.raw('page.request_id'))}
  order by at, "requestId"`;
});
