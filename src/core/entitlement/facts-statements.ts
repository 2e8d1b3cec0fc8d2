import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import type { MunicipalitySearch } from '../../serving/lookups/municipality-choice.ts';
import {
  fromMunicipalities,
  municipality,
  municipalityColumns,
  SEARCH,
} from '../../serving/lookups/municipality-table.ts';
import type { Json } from '../../storage/db/json.ts';
import { areas, subscriptionAreas } from '../../storage/db/schema/index.ts';
import { jsonArray, primaryKeyOf, type RowOf, type TupleOf, tableAs } from '../../storage/db/sql.ts';
import { type Parameters, select, statement, type ValuesOf, value } from '../../storage/db/statement.ts';
import {
  allowedThen,
  type SubscriptionTuple,
  subscription,
  subscriptionJson,
  subscriptionJsonThen,
  subscriptionsHeld,
  subscriptionsHeldThen,
} from './plate-subscriptions-table.ts';
import { askedArea, type CheckParameters, type sessionArea, sessionsJson } from './session-parts.ts';

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

const CHECK = {
  ...SEARCH,
  areaCode: value<string | null>(),
  plate: value<Plate>(),
  at: value<Instant>(),
};
const CHECK_THEN = { ...CHECK, knownAt: value<Instant>() };

type CheckOf = Parameters<ValuesOf<typeof CHECK>> & Pick<CheckParameters, 'knownAt'>;

const isAllowed = sql`exists (
  select 1
  from ${tableAs(subscriptionAreas, allowedArea, primaryKeyOf(subscriptionAreas))}
  where ${allowedArea.subscriptionId} = ${subscription.id}
    and ${allowedArea.areaId} = ${askedArea.id}
)`;

/**
 * Reads only the requested area of a limited subscription. What was known at an instant is judged by the configuration of then,
 * which may have had subscriptions.
 */
const subscriptionsJson = ({ plate, at, areaCode, knownAt }: CheckOf): SQL =>
  knownAt === null
    ? sql`
      case when ${municipality.subscriptionsEnabled}
        then ${subscriptionsHeld(plate, jsonArray([subscriptionJson(at), isAllowed]))}
      end`
    : subscriptionsHeldThen(
        plate,
        knownAt,
        jsonArray([subscriptionJsonThen(at), sql`coalesce(${allowedThen(areaCode)}, ${isAllowed})`]),
      );

const selection = (check: CheckOf, inArea: boolean, withSubscriptions: boolean) =>
  ({
    ...municipalityColumns(check),
    name: sql<string | null>`${municipality.name}`,
    time_zone: sql<string | null>`${municipality.timeZone}`,
    plate_check_enabled: sql<number | null>`${municipality.plateCheckEnabled}`,
    subscriptions_enabled: sql<number | null>`${municipality.subscriptionsEnabled}`,
    area: sql<Json<AreaTuple> | null>`
      case when ${askedArea.id} is not null
        then ${jsonArray(areaValues(askedArea))}
      end`,
    sessions: sessionsJson(check, inArea),
    subscriptions: sql<Json<SubscriptionsTuple> | null>`${withSubscriptions ? subscriptionsJson(check) : sql`null`}`,
  }) as const;

/** A row a municipality. */
export type FactsRow = RowOf<ReturnType<typeof selection>>;

const facts = (
  by: MunicipalitySearch['by'],
  check: CheckOf,
  inArea: boolean,
  withSubscriptions: boolean,
): SQL<FactsRow> =>
  select(
    selection(check, inArea, withSubscriptions),
    fromMunicipalities(
      by,
      check,
      sql`
        left join ${tableAs(areas, askedArea)}
          on ${askedArea.municipalityId} = ${municipality.id}
          and ${askedArea.code} = ${check.areaCode}`,
    ),
  );

const reading = (by: MunicipalitySearch['by'], inArea: boolean) => ({
  now: statement(CHECK, (check) => facts(by, { ...check, knownAt: null }, inArea, true)),
  known: statement(CHECK_THEN, (check) => facts(by, check, inArea, true)),
  sessionsAlone: statement(CHECK, (check) => facts(by, { ...check, knownAt: null }, inArea, false)),
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

/** The statements that read the facts for a check: `now`, `known` at an instant, or `sessionsAlone`. */
export function statementsFor(by: MunicipalitySearch['by'], areaCode: string | null) {
  const { inArea, everywhere } = STATEMENTS[by];
  return areaCode === null ? everywhere : inArea;
}
