import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { areas, parkingSessions, paymentChanges, payments, subscriptionAreas } from '../db/schema/index.ts';
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
import { SESSION_WINDOW_MS } from '../domain/entitlement.ts';
import { instant, nullableInstant } from '../domain/instant.ts';
import type { SessionTimes } from '../domain/parking-session.ts';
import { UNSETTLED_FOR_MS } from '../domain/patrol/standing.ts';
import { MAX_PLATE_SESSIONS } from '../domain/plate-bounds.ts';
import { type AreaTuple, areaValues } from '../entitlement/facts-statements.ts';
import { longestRun } from '../entitlement/session-parts.ts';
import type { MunicipalitySearch } from '../lookups/municipality-choice.ts';
import { fromMunicipalities, MUNICIPALITY_COLUMNS, municipality } from '../lookups/municipality-table.ts';
import {
  type SubscriptionTuple,
  subscription,
  subscriptionJsonAround,
  subscriptionsHeld,
} from '../lookups/plate-subscriptions-table.ts';
import { reportingSource, type SourceRow, sourcesOf } from '../lookups/reporting-sources-table.ts';
import { rejectedColumns } from './rejected-table.ts';

/** Of a subscription's areas: a sighting's own, and five others for the answer. */
const MAX_AREAS = 6;

/**
 * Parameters 1 and 2 are the search's; 3 is a JSON list of plates that were seen, of places the instant from which rejections count.
 * Of sources, 4 is the day. Of similar plates, 4 and 5 are the most sessions, or spans and subscriptions, that are read of each.
 */
const SEEN = parameter(3);
const MAX_OF_SIMILAR = parameter(4);
const MAX_HELD_BY_SIMILAR = { spans: MAX_OF_SIMILAR, subscriptions: parameter(5) };

/** A plate in that list, the codes of the areas where it was seen, and from when until when something of it may matter. */
const PLATE = sql.raw('seen.value ->> 0');
const AREAS = sql.raw('seen.value -> 1');
const FROM = sql.raw('seen.value ->> 2');
const UNTIL = sql.raw('seen.value ->> 3');
const SIMILAR = sql.raw(`seen.value -> 4`);
const NUMBER = sql.raw('seen.key');
export type SeenTuple = [
  plate: string,
  areaCodes: readonly string[],
  from: number,
  until: number,
  similar: readonly string[],
];

const PLACE = {
  ...MUNICIPALITY_COLUMNS,
  id: sql<number | null>`${municipality.id}`,
  name: sql<string | null>`${municipality.name}`,
  time_zone: sql<string | null>`${municipality.timeZone}`,
  plate_check_enabled: sql<number | null>`${municipality.plateCheckEnabled}`,
  subscriptions_enabled: sql<number | null>`${municipality.subscriptionsEnabled}`,
  holidays: sql<string | null>`${municipality.holidays}`,
  observation_minutes: sql<number | null>`${municipality.observationMinutes}`,
  overstay_minutes: sql<number | null>`${municipality.overstayMinutes}`,
  ...rejectedColumns(parameter(3)),
} as const;
export type PlaceRow = RowOf<typeof PLACE>;

/** The municipalities that were found, for the other statements of the batch: two at most. */
const found = (by: MunicipalitySearch['by']): SQL =>
  sql`with "municipality" as materialized (
    select ${municipality.id} as "id", ${municipality.code} as "code", ${municipality.subscriptionsEnabled} as "subscriptions_enabled" ${fromMunicipalities(by)}
  )`;

const askedArea = alias(areas, 'asked_area');
const AREA_ROW = {
  municipality: sql<string>`${municipality.code}`,
  area: sql<string>`${jsonArray(areaValues(askedArea))}`,
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
/** The session of a row. */
export const sessionOf = ([, startsAt, endsAt, cancelledAt, maxHours]: SessionTuple): SessionTimes => ({
  startsAt: instant(startsAt),
  endsAt: nullableInstant(endsAt),
  cancelledAt: nullableInstant(cancelledAt),
  // Read only for open-ended sessions: nothing else depends on it.
  openSessionMaxHours: maxHours ?? 0,
});

/** With the area where it is. */
type PlacedSessionTuple = [session: SessionTuple, area: AreaTuple];

const ofPlate = (plate: SQL, max = literal(MAX_PLATE_SESSIONS)): SQL =>
  sql`${tableAs(parkingSessions, scanned)} indexed by parking_sessions_by_plate
    where ${scanned.municipalityId} = ${municipality.id} and ${scanned.plate} = ${plate} and ${scanned.runsUntil} > ${FROM}
    limit ${max} + 1`;

/** How many were looked at, and those that may matter: of the plate, in every area. */
const OWN_SESSIONS = sql<string>`(
  select json_array(count(*), json_group_array(json_array(${jsonArray(SESSION)}, ${jsonArray(areaValues(sessionArea))}))
    filter (where ${session.startsAt} <= ${UNTIL}))
  from (select * from ${ofPlate(PLATE)}) session cross join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${session.areaId}
)`;
export type OwnSessionsTuple = [lookedAt: number, sessions: PlacedSessionTuple[]];

const allowedArea = alias(subscriptionAreas, 'allowed_area');
/** Of the areas where the plate was seen, the codes of those that a limited subscription covers. */
const validIn = sql`(select json_group_array(${askedArea.code}) from json_each(${AREAS}) as code
  cross join ${tableAs(areas, askedArea)} on ${askedArea.municipalityId} = ${municipality.id} and ${askedArea.code} = code.value
  cross join ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
  on ${allowedArea.subscriptionId} = ${subscription.id} and ${allowedArea.areaId} = ${askedArea.id})`;
const firstAreas = sql`case when not ${subscription.allAreas} then ${jsonRows(
  sql`json(area)`,
  sql`from (select ${jsonArray([sessionArea.code, sessionArea.name])} as area from ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
    cross join ${tableAs(areas, sessionArea)} on ${sessionArea.id} = ${allowedArea.areaId}
    where ${allowedArea.subscriptionId} = ${subscription.id} and ${sessionArea.active} order by ${sessionArea.code} limit ${literal(MAX_AREAS)})`,
)} end`;

/** The subscriptions of a plate: where each holds of the areas in which it was seen, and the first of its other areas. */
const held = (plate: SQL, others: SQL, max?: typeof MAX_HELD_BY_SIMILAR): SQL =>
  sql`case when "municipality"."subscriptions_enabled" then ${subscriptionsHeld(
    plate,
    jsonArray([subscriptionJsonAround(FROM, UNTIL), validIn, others]),
    max,
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

/** More payments of a plate within a week say nothing more. */
const MAX_UNSETTLED = 100;

const payment = alias(payments, 'payment');
const paymentChange = alias(paymentChanges, 'payment_change');
/** When those of the plate were collected that made no period, and wait for the office. */
const UNSETTLED = jsonRows(
  sql.raw('unsettled.at'),
  sql`from (select ${payment.collectedAt} as at from ${tableAs(payments, payment, 'payments_by_plate')}
    where ${payment.municipalityId} = ${municipality.id} and ${payment.plate} = ${PLATE} and ${payment.collectedAt} < ${UNTIL}
      and ${payment.collectedAt} >= ${FROM} - ${literal(UNSETTLED_FOR_MS - SESSION_WINDOW_MS)} and ${payment.periodStartsAt} is null
      and not exists (select 1 from ${tableAs(paymentChanges, paymentChange, primaryKeyOf(paymentChanges))}
        where ${paymentChange.municipalityId} = ${municipality.id} and ${paymentChange.paymentId} = ${payment.paymentId})
    order by ${payment.collectedAt} desc limit ${literal(MAX_UNSETTLED)}) as unsettled`,
);

const OWN = {
  municipality: sql<string>`${municipality.code}`,
  number: sql<number>`${NUMBER}`,
  sessions: OWN_SESSIONS,
  /** JSON: instants. */
  unsettled: sql<string>`${UNSETTLED}`,
} as const;
export type OwnSessionsRow = RowOf<typeof OWN>;

/** What a similar plate has in the areas where the plate was seen, with the area's code: few have anything. */
const SIMILAR_SESSIONS = sql`(
  select json_array(count(*), json_group_array(json_array(${jsonArray(SESSION)}, ${askedArea.code}))
    filter (where ${session.startsAt} <= ${UNTIL} and ${askedArea.code} in (select code.value from json_each(${AREAS}) as code)))
  from (select * from ${ofPlate(sql.raw('similar.value'), MAX_OF_SIMILAR)}) session cross join ${tableAs(areas, askedArea)} on ${askedArea.id} = ${session.areaId}
)`;
const EMPTY = sql.raw(`'[0,[]]'`);
const NONE_HELD = sql.raw(`'[0,0,[]]'`);

const perSimilar = (by: MunicipalitySearch['by'], value: SQL, empty: SQL): SQL => sql`${found(by)}
select * from (
  select ${municipality.code} as municipality, ${NUMBER} as number, similar.value as plate, ${value} as held
  from "municipality" cross join json_each(${SEEN}) as seen cross join json_each(${SIMILAR}) as similar
  where "municipality"."id" is not null limit 1000000
) where held <> ${empty}`;
export interface SimilarRow {
  readonly municipality: string;
  readonly number: number;
  readonly plate: string;
  /** JSON of a {@link SimilarSessionsTuple}, or of a {@link HeldTuple}. */
  readonly held: string;
}
export type SimilarSessionsTuple = [lookedAt: number, sessions: [session: SessionTuple, areaCode: string][]];

export type FoundSourceRow = SourceRow & { readonly municipality: string };

const ofEverySearch = (make: (by: MunicipalitySearch['by']) => SQL) => ({
  code: statement(() => make('code')),
  credential: statement(() => make('credential')),
  grant: statement(() => make('grant')),
});

/** One statement a kind of what is read, however many plates there are. */
export const STATEMENTS = {
  places: ofEverySearch((by) => sql`select ${columns(PLACE)} ${fromMunicipalities(by)}`),
  areas: ofEverySearch(
    (
      by,
    ) => sql`${found(by)} select ${columns(AREA_ROW)} from "municipality" cross join ${tableAs(areas, askedArea)}
      on ${askedArea.municipalityId} = ${municipality.id} and ${askedArea.code} in (select code.value from json_each(${SEEN}) as seen cross join json_each(${AREAS}) as code)`,
  ),
  sessions: ofEverySearch(
    (by) => sql`${found(by)} select ${columns(OWN)} from "municipality" cross join json_each(${SEEN}) as seen
      where "municipality"."id" is not null`,
  ),
  subscriptions: ofEverySearch(
    (
      by,
    ) => sql`${found(by)} select ${municipality.code} as municipality, ${NUMBER} as number, ${held(PLATE, firstAreas)} as held
      from "municipality" cross join json_each(${SEEN}) as seen where "municipality"."id" is not null`,
  ),
  similarSessions: ofEverySearch((by) => perSimilar(by, SIMILAR_SESSIONS, EMPTY)),
  similarSubscriptions: ofEverySearch((by) =>
    perSimilar(
      by,
      sql`coalesce(${held(sql.raw('similar.value'), sql`null`, MAX_HELD_BY_SIMILAR)}, ${NONE_HELD})`,
      NONE_HELD,
    ),
  ),
  sources: ofEverySearch(
    (by) =>
      sql`${found(by)} select ${municipality.code} as municipality, ${columns(reportingSource(parameter(4)))} from "municipality" cross join ${sourcesOf(sql`"municipality"."id"`)}`,
  ),
} as const;
