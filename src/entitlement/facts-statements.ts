import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { areas, parkingSessions, sources, subscriptionAreas } from '../db/schema/index.ts';
import {
  aliased,
  columns,
  jsonArray,
  jsonRows,
  parameter,
  type RowOf,
  statement,
  type TupleOf,
} from '../db/sql.ts';
import type { MunicipalitySearch } from '../lookups/municipality-choice.ts';
import { fromMunicipalities, MUNICIPALITY_COLUMNS, m } from '../lookups/municipality-table.ts';
import {
  b,
  SUBSCRIPTION_JSON,
  type SubscriptionTuple,
  subscriptionsOfPlate,
} from '../lookups/plate-subscriptions-table.ts';

/** Parameters 1 and 2 are the municipality's; the last two are the bounds of the session window. */
const AREA = parameter(3);
const PLATE = parameter(4);
const WINDOW_START = parameter(5);
const WINDOW_END = parameter(6);

const a = alias(areas, 'a');
const s = alias(parkingSessions, 's');
/** Where a session is, when no area was asked for. */
const w = alias(areas, 'w');
const o = alias(sources, 'o');
const x = alias(subscriptionAreas, 'x');

const AREA_VALUES = [
  a.code,
  a.name,
  a.areaType,
  a.active,
  a.serviceEnabled,
  a.plateControlEnabled,
  a.subscriptionAccess,
  a.entryGraceMinutes,
  a.exitGraceMinutes,
] as const;
export type AreaTuple = TupleOf<typeof AREA_VALUES>;

const sessionValues = (area: typeof a | typeof w) =>
  [
    s.sessionId,
    s.sourceCode,
    s.startsAt,
    s.endsAt,
    s.cancelledAt,
    // The source is read only for a session that has no end of its own.
    sql<number | null>`case when ${s.endsAt} is null then (
      select ${o.openSessionMaxHours} from ${aliased(sources, o)}
      where ${o.municipalityId} = ${s.municipalityId} and ${o.code} = ${s.sourceCode}
    ) end`,
    area.code,
    area.name,
  ] as const;
export type SessionTuple = TupleOf<ReturnType<typeof sessionValues>>;

/** The upper bound is inclusive: the longest entry tolerance reaches a session that starts exactly 24 h later. */
const inWindow = (): SQL => sql`${s.municipalityId} = ${m.id} and ${s.plate} = ${PLATE}
  and ${s.runsUntil} > ${WINDOW_START} and ${s.startsAt} <= ${WINDOW_END}`;

const sessionsInArea = (): SQL =>
  jsonRows(
    jsonArray(sessionValues(a)),
    sql`from ${aliased(parkingSessions, s)} where ${inWindow()} and ${s.areaId} = ${a.id}`,
  );

const sessionsEverywhere = (): SQL =>
  jsonRows(
    jsonArray(sessionValues(w)),
    sql`from ${aliased(parkingSessions, s)} join ${aliased(areas, w)} on ${w.id} = ${s.areaId} where ${inWindow()}`,
  );

export type ListedSubscriptionTuple = [subscription: SubscriptionTuple, validHere: number];

/** Of a limited subscription's areas only the one asked for is read: no other can matter. */
const subscriptions = (): SQL =>
  sql`case when ${m.subscriptionsEnabled} then ${jsonRows(
    jsonArray([
      SUBSCRIPTION_JSON,
      sql`exists (
      select 1 from ${aliased(subscriptionAreas, x)}
      where ${x.subscriptionId} = ${b.id} and ${x.areaId} = ${a.id}
    )`,
    ]),
    sql`from ${subscriptionsOfPlate(PLATE)}`,
  )} end`;

const selection = (inArea: boolean, withSubscriptions: boolean) =>
  ({
    ...MUNICIPALITY_COLUMNS,
    name: sql<string | null>`${m.name}`,
    time_zone: sql<string | null>`${m.timeZone}`,
    plate_check_enabled: sql<number | null>`${m.plateCheckEnabled}`,
    subscriptions_enabled: sql<number | null>`${m.subscriptionsEnabled}`,
    area: sql<string | null>`case when ${a.id} is not null then ${jsonArray(AREA_VALUES)} end`,
    sessions: sql<string>`${inArea ? sessionsInArea() : sessionsEverywhere()}`,
    subscriptions: sql<string | null>`${withSubscriptions ? subscriptions() : sql`null`}`,
  }) as const;

/** A row a municipality. `area`, `sessions` and `subscriptions` are JSON of the tuples above. */
export type FactsRow = RowOf<ReturnType<typeof selection>>;

const makeStatement = (by: MunicipalitySearch['by'], inArea: boolean, withSubscriptions: boolean) =>
  statement(
    () => sql`select ${columns(selection(inArea, withSubscriptions))}
      ${fromMunicipalities(by, sql`left join ${aliased(areas, a)} on ${a.municipalityId} = ${m.id} and ${a.code} = ${AREA}`)}`,
  );

const bothWays = (by: MunicipalitySearch['by'], inArea: boolean) => ({
  withSubscriptions: makeStatement(by, inArea, true),
  sessionsAlone: makeStatement(by, inArea, false),
});

const ofSearch = (by: MunicipalitySearch['by']) => ({
  inArea: bothWays(by, true),
  everywhere: bothWays(by, false),
});

const STATEMENTS = {
  code: ofSearch('code'),
  credential: ofSearch('credential'),
  grant: ofSearch('grant'),
} as const;

/** The statement that reads the facts, for what a check wants to know. */
export function statementFor(
  by: MunicipalitySearch['by'],
  { areaCode, withSubscriptions }: { readonly areaCode: string | null; readonly withSubscriptions: boolean },
): string {
  const { inArea, everywhere } = STATEMENTS[by];
  const statements = areaCode === null ? everywhere : inArea;
  return (withSubscriptions ? statements.withSubscriptions : statements.sessionsAlone)();
}
