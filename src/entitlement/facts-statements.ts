import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { areas, subscriptionAreas } from '../db/schema/index.ts';
import { columns, jsonArray, primaryKeyOf, type RowOf, statement, type TupleOf, tableAs } from '../db/sql.ts';
import type { MunicipalitySearch } from '../lookups/municipality-choice.ts';
import { fromMunicipalities, MUNICIPALITY_COLUMNS, municipality } from '../lookups/municipality-table.ts';
import {
  type SubscriptionTuple,
  subscription,
  subscriptionJson,
  subscriptionsHeld,
  subscriptionsOn,
} from '../lookups/plate-subscriptions-table.ts';
import {
  AREA,
  AT,
  askedArea,
  PLATE,
  type ReadFirst,
  type sessionArea,
  sessionsJson,
} from './session-parts.ts';

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

/** Of a limited subscription's areas only the one asked for is read: no other matters. */
const subscriptions = (read: ReadFirst): SQL =>
  sql`case when ${municipality.subscriptionsEnabled} then ${(read === 'all'
    ? subscriptionsHeld
    : subscriptionsOn)(
    PLATE,
    AT,
    jsonArray([
      subscriptionJson(AT),
      sql`exists (
      select 1 from ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
      where ${allowedArea.subscriptionId} = ${subscription.id} and ${allowedArea.areaId} = ${askedArea.id}
    )`,
    ]),
  )} end`;

const selection = (read: ReadFirst, inArea: boolean, withSubscriptions: boolean) =>
  ({
    ...MUNICIPALITY_COLUMNS,
    name: sql<string | null>`${municipality.name}`,
    time_zone: sql<string | null>`${municipality.timeZone}`,
    plate_check_enabled: sql<number | null>`${municipality.plateCheckEnabled}`,
    subscriptions_enabled: sql<number | null>`${municipality.subscriptionsEnabled}`,
    area: sql<
      string | null
    >`case when ${askedArea.id} is not null then ${jsonArray(areaValues(askedArea))} end`,
    sessions: sql<string>`${sessionsJson(read, inArea)}`,
    subscriptions: sql<string | null>`${withSubscriptions ? subscriptions(read) : sql`null`}`,
  }) as const;

/** A row a municipality. `area`, `sessions` and `subscriptions` are JSON of the tuples above. */
export type FactsRow = RowOf<ReturnType<typeof selection>>;

const makeStatement = (
  by: MunicipalitySearch['by'],
  read: ReadFirst,
  inArea: boolean,
  withSubscriptions: boolean,
) =>
  statement(
    () => sql`select ${columns(selection(read, inArea, withSubscriptions))}
      ${fromMunicipalities(by, sql`left join ${tableAs(areas, askedArea)} on ${askedArea.municipalityId} = ${municipality.id} and ${askedArea.code} = ${AREA}`)}`,
  );

const reading = (by: MunicipalitySearch['by'], read: ReadFirst, inArea: boolean) => ({
  withSubscriptions: makeStatement(by, read, inArea, true),
  sessionsAlone: makeStatement(by, read, inArea, false),
});

const bothWays = (by: MunicipalitySearch['by'], inArea: boolean) => ({
  all: reading(by, 'all', inArea),
  what_matters: reading(by, 'what_matters', inArea),
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

/** The statement that reads the facts for a check. */
export function statementFor(
  by: MunicipalitySearch['by'],
  read: ReadFirst,
  { areaCode, withSubscriptions }: { readonly areaCode: string | null; readonly withSubscriptions: boolean },
): string {
  const { inArea, everywhere } = STATEMENTS[by];
  const statements = (areaCode === null ? everywhere : inArea)[read];
  return (withSubscriptions ? statements.withSubscriptions : statements.sessionsAlone)();
}
