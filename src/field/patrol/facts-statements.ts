import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type AreaTuple, areaValues } from '../../core/entitlement/facts.ts';
import {
  type SubscriptionTuple,
  subscription,
  subscriptionJsonAround,
  subscriptionsHeld,
} from '../../core/entitlement/plate-subscriptions-table.ts';
import { longestRun } from '../../core/entitlement/session-parts.ts';
import type { Instant } from '../../domain/instant.ts';
import { UNSETTLED_FOR_MS } from '../../domain/patrol/standing.ts';
import { MAX_PLATE_SESSIONS } from '../../domain/plate-bounds.ts';
import {
  BY_CODE,
  fromMunicipality,
  MUNICIPALITY,
  municipality,
} from '../../serving/lookups/municipality-table.ts';
import {
  areas,
  parkingSessions,
  paymentChanges,
  payments,
  sourceImports,
  sources,
  subscriptionAreas,
} from '../../storage/db/schema/index.ts';
import {
  columns,
  type Json,
  jsonArray,
  jsonRows,
  literal,
  orNull,
  primaryKeyOf,
  type RowOf,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import { type Parameters, select, statement, type ValuesOf, value } from '../../storage/db/statement.ts';
import { rejectedColumns } from './rejected-table.ts';

/** The most areas read of a subscription: the sighting's own, and five others for the answer. */
const MAX_AREAS = 6;

/** A seen plate, the codes of its areas, its instants, and the time in which its rows may matter. */
const PLATE = sql.raw('seen.value ->> 0');
const AREAS = sql.raw('seen.value -> 1');
const FROM = sql.raw('seen.value ->> 2');
const UNTIL = sql.raw('seen.value ->> 3');
const SIMILAR = sql.raw(`seen.value -> 4`);
const INSTANTS = sql.raw('seen.value -> 5');
const INSTANT = sql.raw('sighting.value');
const SIMILAR_PLATE = sql.raw('similar.value');
const NUMBER = sql.raw('seen.key');
export type SeenTuple = [
  plate: string,
  areaCodes: readonly string[],
  from: number,
  until: number,
  similar: readonly string[],
  instants: readonly Instant[],
];

const SEEN = { ...BY_CODE, seen: value<Json<readonly SeenTuple[]>>() };
type ByCode = Parameters<ValuesOf<typeof BY_CODE>>;
type Seen = Parameters<ValuesOf<typeof SEEN>>;

const place = (rejectedFrom: SQL) =>
  ({
    ...MUNICIPALITY,
    id: municipality.id,
    name: municipality.name,
    time_zone: municipality.timeZone,
    plate_check_enabled: municipality.plateCheckEnabled,
    subscriptions_enabled: municipality.subscriptionsEnabled,
    holidays: municipality.holidays,
    observation_minutes: municipality.observationMinutes,
    overstay_minutes: municipality.overstayMinutes,
    ...rejectedColumns(rejectedFrom),
  }) as const;

/** The municipality, for the other statements of the batch. */
const found = (parameters: ByCode): SQL => sql`
  with "municipality" as materialized (
    select ${municipality.id} as "id",
      ${municipality.code} as "code",
      ${municipality.subscriptionsEnabled} as "subscriptions_enabled"
    ${fromMunicipality(parameters)}
  )`;

const askedArea = alias(areas, 'asked_area');
const AREA_ROW = {
  area: sql<Json<AreaTuple>>`${jsonArray(areaValues(askedArea))}`,
  paid_hours: askedArea.paidHours,
} as const;
export type AreaRow = RowOf<typeof AREA_ROW>;

const session = alias(parkingSessions, 'session');
const scanned = alias(parkingSessions, 'scanned');
const sessionArea = alias(areas, 'session_area');

const SESSION = [
  session.sourceCode,
  session.startsAt,
  session.endsAt,
  session.cancelledAt,
  longestRun(session),
] as const;
export type SessionTuple = TupleOf<typeof SESSION>;
/** A session, with the code of its area. */
type PlacedSessionTuple = [session: SessionTuple, area: AreaTuple];

const ofPlate = (plate: SQL): SQL => sql`
    select *
    from ${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate
    where ${scanned.municipalityId} = ${municipality.id}
      and ${scanned.plate} = ${plate}
      and ${scanned.runsUntil} > ${FROM}
    limit ${literal(MAX_PLATE_SESSIONS + 1)}`;

/** The number of the plate's sessions read in all areas, and the sessions that may matter. */
const OWN_SESSIONS = sql<Json<OwnSessionsTuple>>`(
  select json_array(
    count(*),
    json_group_array(json_array(${jsonArray(SESSION)}, ${jsonArray(areaValues(sessionArea))}))
      filter (where ${session.startsAt} <= ${UNTIL}))
  from (${ofPlate(PLATE)}) session
  cross join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${session.areaId}
)`;
export type OwnSessionsTuple = [lookedAt: number, sessions: PlacedSessionTuple[]];

const allowedArea = alias(subscriptionAreas, 'allowed_area');
/** The codes of the areas where the plate was seen and that a limited subscription covers. */
const validIn = sql`(
    select json_group_array(${askedArea.code})
    from json_each(${AREAS}) as code
    cross join ${tableAs(areas, askedArea)}
      on ${askedArea.municipalityId} = ${municipality.id}
      and ${askedArea.code} = code.value
    cross join ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
      on ${allowedArea.subscriptionId} = ${subscription.id}
      and ${allowedArea.areaId} = ${askedArea.id}
  )`;
/** @param allowed the codes of the areas that the caller may ask about; null for all */
const firstAreas = (allowed: SQL) => sql`
    case when not ${subscription.allAreas} then ${jsonRows(
      sql`json(area)`,
      sql`
      from (
        select ${jsonArray([sessionArea.code, sessionArea.name])} as area
        from ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
        cross join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${allowedArea.areaId}
        where ${allowedArea.subscriptionId} = ${subscription.id}
          and ${sessionArea.active}
          and (${allowed} is null or ${sessionArea.code} in (select value from json_each(${allowed})))
        order by ${sessionArea.code}
        limit ${literal(MAX_AREAS)}
      )`,
    )} end`;

/**
 * The subscriptions of a plate: each with the areas where the plate was seen and that it covers, and the first of its other
 * areas.
 */
const held = (plate: SQL, others: SQL): SQL => sql`
    case when "municipality"."subscriptions_enabled" then ${subscriptionsHeld(
      plate,
      jsonArray([subscriptionJsonAround(FROM, UNTIL), validIn, others]),
    )} end`;
export type HeldTuple = [
  spans: number,
  found: number,
  subscriptions: [
    subscription: SubscriptionTuple,
    validIn: readonly string[],
    others: readonly [code: string, name: string][] | null,
  ][],
];

/** The subscriptions of a seen plate; null if the municipality has none. */
export interface HeldRow {
  readonly number: number;
  readonly held: Json<HeldTuple> | null;
}

const payment = alias(payments, 'payment');
const paymentChange = alias(paymentChanges, 'payment_change');
/** For each sighting, the last collection before it that made no period and waits for the office, if there is one. */
const UNSETTLED = jsonRows(
  sql.raw('unsettled.at'),
  sql`
  from (
    select (
      select ${payment.collectedAt}
      from ${tableAs(payments, payment, 'payments_by_plate')}
      where ${payment.municipalityId} = ${municipality.id}
        and ${payment.plate} = ${PLATE}
        and ${payment.collectedAt} < ${INSTANT}
        and ${payment.collectedAt} >= ${INSTANT} - ${literal(UNSETTLED_FOR_MS)}
        and ${payment.periodStartsAt} is null
        and not exists (
          select 1
          from ${tableAs(paymentChanges, paymentChange, primaryKeyOf(paymentChanges))}
          where ${paymentChange.municipalityId} = ${municipality.id}
            and ${paymentChange.paymentId} = ${payment.paymentId}
        )
      order by ${payment.collectedAt} desc
      limit 1
    ) as at
    from json_each(${INSTANTS}) as sighting
  ) as unsettled
  where unsettled.at is not null`,
);

const OWN = {
  number: sql<number>`${NUMBER}`,
  sessions: OWN_SESSIONS,
  unsettled: sql<Json<number[]>>`${UNSETTLED}`,
} as const;
export type OwnSessionsRow = RowOf<typeof OWN>;

/** A similar plate's rows in the areas where the plate was seen, with the area's code: few have any. */
const SIMILAR_SESSIONS = sql`(
    select json_array(
      count(*),
      json_group_array(json_array(${jsonArray(SESSION)}, ${askedArea.code}))
        filter (
          where ${session.startsAt} <= ${UNTIL}
            and ${askedArea.code} in (select code.value from json_each(${AREAS}) as code)))
    from (${ofPlate(SIMILAR_PLATE)}) session
    cross join ${tableAs(areas, askedArea)} on ${askedArea.id} = ${session.areaId}
  )`;
const EMPTY = sql.raw(`'[0,[]]'`);
const NONE_HELD = sql.raw(`'[0,0,[]]'`);

/** The similar plates with any requested rows, each with its rows. */
const perSimilar = <Held>({ seen, ...search }: Seen, has: SQL, empty: SQL): SQL<SimilarRow<Held>> => sql`
  ${found(search)}
  select * from (
    select ${NUMBER} as number, similar.value as plate, ${has} as held
    from "municipality"
    cross join json_each(${seen}) as seen
    cross join json_each(${SIMILAR}) as similar
    limit 1000000
  )
  where held <> ${empty}`;
export interface SimilarRow<Held> {
  readonly number: number;
  readonly plate: string;
  readonly held: Json<Held>;
}
export type SimilarSessionsTuple = [lookedAt: number, sessions: [session: SessionTuple, areaCode: string][]];

const source = alias(sources, 'source');
const lastImport = alias(sourceImports, 'last_import');
const SOURCE = {
  code: source.code,
  name: source.name,
  is_system: source.isSystem,
  stale_after_minutes: source.staleAfterMinutes,
  report_delay_minutes: source.reportDelayMinutes,
  last_outcome: orNull(lastImport.lastOutcome),
  last_successful_at: orNull(lastImport.lastSuccessfulAt),
} as const;
export type SourceRow = RowOf<typeof SOURCE>;

/** One statement per kind of rows, however many plates there are. */
export const STATEMENTS = {
  place: statement({ ...BY_CODE, rejectedFrom: value<number>() }, ({ rejectedFrom, ...search }) =>
    select(place(rejectedFrom), fromMunicipality(search)),
  ),
  areas: statement(
    SEEN,
    ({ seen, ...search }) => sql<AreaRow>`
  ${found(search)}
  select ${columns(AREA_ROW)}
  from "municipality"
  cross join ${tableAs(areas, askedArea)}
    on ${askedArea.municipalityId} = ${municipality.id}
    and ${askedArea.code} in (
      select code.value
      from json_each(${seen}) as seen
      cross join json_each(${AREAS}) as code
    )`,
  ),
  sessions: statement(
    SEEN,
    ({ seen, ...search }) => sql<OwnSessionsRow>`
  ${found(search)}
  select ${columns(OWN)}
  from "municipality"
  cross join json_each(${seen}) as seen`,
  ),
  subscriptions: statement(
    { ...SEEN, allowed: value<Json<readonly string[]> | null>() },
    ({ seen, allowed, ...search }) => sql<HeldRow>`
  ${found(search)}
  select ${NUMBER} as number, ${held(PLATE, firstAreas(allowed))} as held
  from "municipality"
  cross join json_each(${seen}) as seen`,
  ),
  similarSessions: statement(SEEN, (seen) => perSimilar<SimilarSessionsTuple>(seen, SIMILAR_SESSIONS, EMPTY)),
  similarSubscriptions: statement(SEEN, (seen) =>
    perSimilar<HeldTuple>(seen, sql`coalesce(${held(SIMILAR_PLATE, sql`null`)}, ${NONE_HELD})`, NONE_HELD),
  ),
  sources: statement(
    BY_CODE,
    (search) => sql<SourceRow>`
  ${found(search)}
  select ${columns(SOURCE)}
  from "municipality"
  cross join ${tableAs(sources, source)}
    on ${source.municipalityId} = ${municipality.id}
    and ${source.active}
  left join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
  order by ${source.code}`,
  ),
} as const;
