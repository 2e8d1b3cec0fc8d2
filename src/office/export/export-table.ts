import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import * as z from 'zod';
import {
  span,
  subscription,
  VALIDITY,
  WHOLE_SUBSCRIPTION_JSON,
} from '../../core/entitlement/plate-subscriptions-table.ts';
import { CHANGED, PAYMENT_JSON, payment } from '../../core/recorded-payments/payment-parts.ts';
import type { Plate } from '../../domain/plate.ts';
import { sum } from '../../domain/sum.ts';
import {
  type CallTable,
  hasRequestId,
  LOGGED_CALLS,
  type LoggedCall,
  PLATES_OF_CALLS,
} from '../../storage/call-log/calls-parts.ts';
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
  type Json,
  json,
  jsonArray,
  jsonRows,
  literal,
  primaryKeyOf,
  type RowOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import {
  batch,
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
import { type SubscriptionChanges, subscriptionChanges } from '../../storage/history/subscription-changes.ts';
import {
  type SubscriptionsPage,
  sharedOfPage,
  spansOfPage,
} from '../../storage/history/subscription-versions-parts.ts';
import type { Holder } from '../administration/holders-table.ts';

/** The ids of the municipalities, and the plate. */
const HELD = { ids: value<Json<readonly number[]>>(), plate: value<Plate>() };
/** The most bytes of a page, not counting its first row. */
const BYTES_BOUND = { maxBytes: value<number>() };

/** The rows `page`, in their order, until their `bytes` reach the maximum. */
const asFarAsBytes = (rows: SQL, maxBytes: SQL): SQL => sql`(
    select * from (
      select *,
        coalesce(sum(bytes) over (rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (${rows})
    )
    where bytes_before < ${maxBytes}
  ) as page`;
/** The columns of a row's size in such a page. */
const BYTES = sql<number>`page.bytes`;

/** The size of a row. */
interface Sized {
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

/** In the order of the plate's index, so that no session is read twice. */
const SESSIONS = statement(
  {
    ...HELD,
    /** The session to continue after. */
    afterEnd: value<number>(),
    afterId: value<number>(),
    max: value<number>(),
  },
  ({ ids, plate, afterEnd, afterId, max }) =>
    select(
      SESSION,
      sql`
  from json_each(${ids}) as held
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

interface ExportedSubscriptionRow extends Sized {
  readonly id: number;
  readonly municipality_id: number;
  readonly subscription: Json<ExportedSubscriptionTuple>;
}

const SUBSCRIPTIONS = statement(
  {
    ...HELD,
    /** The id of the subscription to continue after. */
    after: value<number>(),
    max: value<number>(),
    ...BYTES_BOUND,
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
          from json_each(${ids}) as held
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

/** `following`: the version after it, if that is the present one and was stored since the export began. */
export type ExportedVersionRow = SessionVersionRow & {
  readonly replaced_at: number;
  readonly following: string | null;
};

/** Replaced versions of sessions, in the order of recording. */
const PAST_SESSIONS = statement(
  {
    ...HELD,
    /** The version to continue after: when it was recorded, and its session's id. */
    afterAt: value<number>(),
    afterId: value<number>(),
    max: value<number>(),
    /** When the export began. */
    began: value<number>(),
  },
  ({ ids, plate, afterAt, afterId, max, began }) => sql<ExportedVersionRow>`
  select ${SESSION_VERSION_COLUMNS}, ${following(sql`${ofVersion('replaced_at')} >= ${began}`)} as following
  from (${pastVersions({ ids: ids, plate, max }, { at: afterAt, id: afterId })}) as ${VERSION_ROWS}
  order by ${ofVersion('recorded_at')}, ${ofVersion('id')}`,
);

/** The most changes of subscriptions in a page. Reads the records only of the changes in it. */
const MAX_OF_CHANGES = { subscriptions: 100, versions: 1_000, spans: 20_000, bytes: 512 * 1024 };

const MAX_CHANGES: SubscriptionsPage['max'] = {
  subscriptions: literal(MAX_OF_CHANGES.subscriptions),
  versions: literal(MAX_OF_CHANGES.versions),
  spans: literal(MAX_OF_CHANGES.spans),
  bytes: literal(MAX_OF_CHANGES.bytes),
};

/** The subscription to continue with, and its first instant. */
const CHANGES = { ...HELD, fromId: value<number>() };
const SPANS = statement(CHANGES, ({ ids, plate, fromId }) =>
  spansOfPage({ ids: ids, plate, fromId, fromAt: literal(0), max: MAX_CHANGES }),
);
const SHARED_VERSIONS = statement({ ...CHANGES, fromAt: value<number>() }, ({ ids, plate, fromId, fromAt }) =>
  sharedOfPage({ ids: ids, plate, fromId, fromAt, max: MAX_CHANGES }),
);

/** The collection and the key of the payment to continue after. */
const FURTHER_PAYMENTS = {
  ...HELD,
  afterAt: value<number>(),
  after: value<string>(),
  max: value<number>(),
};
const PAYMENTS = statement(FURTHER_PAYMENTS, ({ ids, plate, afterAt, after, max }) =>
  select(
    {
      municipality_id: payment.municipalityId,
      municipality_name: municipalities.name,
      payment: PAYMENT_JSON,
    },
    sql`
    from json_each(${ids}) as held
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
type ExportedPaymentRow = RowIn<typeof PAYMENTS>;

type ExportedCallRow = LoggedCall & Sized;

const CALLS_OF_PLATE = {
  digests: value<Json<readonly string[]>>(),
  /** The call to continue after. */
  afterAt: value<number>(),
  afterId: value<string>(),
  max: value<number>(),
  ...BYTES_BOUND,
  /** One tenant's code may be the code of another tenant's municipality. */
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

/** Lists each call once: a patrol may name the plate several times. */
const CALLS = statement(CALLS_OF_PLATE, (parameters) => {
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

const number = z.int();
/** The progress of each list, in the order in which `next` lists it. */
export const exportCursor = z.object({
  /** The last session sent: its end, then its id. */
  sessionRunsUntil: number,
  session: number,
  subscription: number,
  /** The last replaced version of a session that was sent: when it was recorded, and the session's id. */
  pastAt: number,
  past: number,
  /** The subscription whose changes come next, and from which instant. */
  changesOf: number,
  changesFrom: number,
  /** The last payment sent: its collection, then its key. */
  paymentAt: number,
  payment: z.string(),
  callAt: number,
  callId: z.string(),
  /** When the first page was read; 0 before it. */
  began: number,
});
export type ExportCursor = Readonly<z.infer<typeof exportCursor>>;

/** The rows after a cursor. */
interface Page<Row> {
  readonly rows: readonly Row[];
  /** Whether there may be more. */
  readonly isMore: boolean;
}

export interface ExportedRows {
  readonly sessions: Page<ExportedSessionRow>;
  readonly subscriptions: Page<ExportedSubscriptionRow>;
  /** Replaced versions of sessions. */
  readonly past: Page<ExportedVersionRow>;
  /** Changes of subscriptions. */
  readonly changes: SubscriptionChanges;
  readonly payments: Page<ExportedPaymentRow>;
  readonly calls: Page<ExportedCallRow>;
}

/**
 * A call may have 128 KiB, and a subscription or its change hundreds of periods and areas: a page ends after this many
 * bytes of each kind.
 */
const MAX_BYTES = 1024 * 1024;
/** Items of each list per answer. */
export const MAX_EXPORTED = 1_000;
/** Reads fewer subscriptions at once: the database makes their JSON before it knows its size. */
const MAX_SUBSCRIPTIONS = 100;

/** Later than any instant: the first page shows everything stored when it is read. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The position before all sessions. */
export const BEFORE_SESSIONS = { sessionRunsUntil: 0, session: 0 } as const;

/** The position of a session. If a change moves a session before it during the export, the history shows it later. */
export const positionOfSession = ({ id, runs_until }: ExportedSessionRow) => ({
  sessionRunsUntil: runs_until,
  session: id,
});

/**
 * Reads a plate's data after a cursor, in one round trip. Reads only rows of the plate.
 */
export async function readExport(
  db: D1Database,
  { plate, tenant, municipalities, digests }: Holder,
  after: ExportCursor,
): Promise<ExportedRows> {
  const readable = municipalities.filter(({ isRestoring }) => !isRestoring);
  const held = { ids: json(readable.map(({ id }) => id)), plate };
  // One row more than is sent shows whether there are more.
  const max = MAX_EXPORTED + 1;
  const [sessions, subscriptions, past, spans, shared, payments, calls] = await batch(db, [
    SESSIONS.prepare(db, {
      ...{ ...held, max },
      afterEnd: after.sessionRunsUntil,
      afterId: after.session,
    }),
    SUBSCRIPTIONS.prepare(db, {
      ...{ ...held, max: MAX_SUBSCRIPTIONS + 1, maxBytes: MAX_BYTES },
      after: after.subscription,
    }),
    PAST_SESSIONS.prepare(db, {
      ...{ ...held, max },
      afterAt: after.pastAt,
      afterId: after.past,
      began: after.began || NEVER,
    }),
    SPANS.prepare(db, { ...held, fromId: after.changesOf }),
    SHARED_VERSIONS.prepare(db, { ...held, fromId: after.changesOf, fromAt: after.changesFrom }),
    PAYMENTS.prepare(db, { ...held, max, afterAt: after.paymentAt, after: after.payment }),
    CALLS.prepare(db, {
      ...{ digests: json(digests), tenant, max, maxBytes: MAX_BYTES },
      afterAt: after.callAt,
      afterId: after.callId,
    }),
  ]);
  if (spans.results.length > MAX_OF_CHANGES.spans) {
    throw new Error('a plate has been on subscriptions more often than an export reads at once');
  }
  const from = { id: after.changesOf, at: after.changesFrom };
  return {
    sessions: atMost(sessions),
    subscriptions: pageOf(subscriptions.results, MAX_SUBSCRIPTIONS),
    past: atMost(past),
    changes: subscriptionChanges(spans.results, shared.results, from, MAX_OF_CHANGES),
    payments: atMost(payments),
    calls: pageOf(calls.results, MAX_EXPORTED),
  };
}

const atMost = <Row>({ results }: D1Result<Row>): Page<Row> => ({
  rows: results.slice(0, MAX_EXPORTED),
  isMore: results.length > MAX_EXPORTED,
});

function pageOf<Row extends Sized>(rows: readonly Row[], max: number): Page<Row> {
  const bytes = sum(rows.map((row) => row.bytes));
  return { rows: rows.slice(0, max), isMore: rows.length > max || bytes >= MAX_BYTES };
}
