import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { MunicipalitySearch } from '../../serving/lookups/municipality-choice.ts';
import {
  fromMunicipalities,
  MUNICIPALITY_COLUMNS,
  municipality,
} from '../../serving/lookups/municipality-table.ts';
import type { When } from '../../serving/lookups/when-parts.ts';
import { areas, subscriptionAreas } from '../../storage/db/schema/index.ts';
import {
  columns,
  jsonArray,
  primaryKeyOf,
  type RowOf,
  statement,
  type TupleOf,
  tableAs,
} from '../../storage/db/sql.ts';
import {
  allowedThen,
  type SubscriptionTuple,
  subscription,
  subscriptionJson,
  subscriptionJsonThen,
  subscriptionsHeld,
  subscriptionsHeldThen,
} from './plate-subscriptions-table.ts';
import { AREA, AT, askedArea, PLATE, type sessionArea, sessionsJson } from './session-parts.ts';

const allowedArea = alias(subscriptionAreas, 'allowed_area');

/** What is read of an area. */
export const areaValues = (of: typeof askedArea | typeof sessionArea) =>
  [
    of.code,
    of.name,
    of.areaType,
    of.active,
    of.serviceEnabled,
    of.plateControlEnabled,
    of.subscriptionAccess,
    of.entryGraceMinutes,
    of.exitGraceMinutes,
  ] as const;
export type AreaTuple = TupleOf<ReturnType<typeof areaValues>>;

export type ListedSubscriptionTuple = [subscription: SubscriptionTuple, validHere: number];

/** How many spans of the plate and subscriptions were looked at, and those that are read. */
export type SubscriptionsTuple = [spans: number, found: number, subscriptions: ListedSubscriptionTuple[]];

const isAllowed = sql`exists (
      select 1 from ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
      where ${allowedArea.subscriptionId} = ${subscription.id} and ${allowedArea.areaId} = ${askedArea.id}
    )`;

/** Reads only the requested area of a limited subscription. */
const HELD: Readonly<Record<When, SQL>> = {
  now: subscriptionsHeld(PLATE, jsonArray([subscriptionJson(AT), isAllowed])),
  known: subscriptionsHeldThen(
    PLATE,
    jsonArray([subscriptionJsonThen(AT), sql`coalesce(${allowedThen(AREA)}, ${isAllowed})`]),
  ),
};

/** What was known then is judged by the configuration of then, which may have had subscriptions. */
const subscriptions = (when: When): SQL =>
  when === 'now' ? sql`case when ${municipality.subscriptionsEnabled} then ${HELD.now} end` : HELD.known;

const selection = (when: When, inArea: boolean, withSubscriptions: boolean) =>
  ({
    ...MUNICIPALITY_COLUMNS,
    name: sql<string | null>`${municipality.name}`,
    time_zone: sql<string | null>`${municipality.timeZone}`,
    plate_check_enabled: sql<number | null>`${municipality.plateCheckEnabled}`,
    subscriptions_enabled: sql<number | null>`${municipality.subscriptionsEnabled}`,
    area: sql<
      string | null
    >`case when ${askedArea.id} is not null then ${jsonArray(areaValues(askedArea))} end`,
    sessions: sql<string>`${sessionsJson(when, inArea)}`,
    subscriptions: sql<string | null>`${withSubscriptions ? subscriptions(when) : sql`null`}`,
  }) as const;

/** A row a municipality. `area`, `sessions` and `subscriptions` are JSON of the tuples above. */
export type FactsRow = RowOf<ReturnType<typeof selection>>;

const makeStatement = (
  by: MunicipalitySearch['by'],
  when: When,
  inArea: boolean,
  withSubscriptions: boolean,
) =>
  statement(
    () => sql`select ${columns(selection(when, inArea, withSubscriptions))}
      ${fromMunicipalities(by, sql`left join ${tableAs(areas, askedArea)} on ${askedArea.municipalityId} = ${municipality.id} and ${askedArea.code} = ${AREA}`)}`,
  );

const reading = (by: MunicipalitySearch['by'], inArea: boolean) => ({
  now: makeStatement(by, 'now', inArea, true),
  known: makeStatement(by, 'known', inArea, true),
  sessionsAlone: makeStatement(by, 'now', inArea, false),
});

const ofSearch = (by: MunicipalitySearch['by']) => ({
  inArea: reading(by, true),
  everywhere: reading(by, false),
});

const STATEMENTS = {
  code: ofSearch('code'),
  credential: ofSearch('credential'),
  grant: ofSearch('grant'),
} as const;

/** The statement that reads the facts for a check: of then, with the instant as its last parameter. */
export function statementFor(
  by: MunicipalitySearch['by'],
  { areaCode, withSubscriptions }: { readonly areaCode: string | null; readonly withSubscriptions: boolean },
  when: When = 'now',
): string {
  const { inArea, everywhere } = STATEMENTS[by];
  const statements = areaCode === null ? everywhere : inArea;
  return (withSubscriptions ? statements[when] : statements.sessionsAlone)();
}
