import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { plans, subscriptionTypes } from '../db/schema/index.ts';
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
import type { Instant } from '../domain/instant.ts';
import type { Plate } from '../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../domain/plate-reading.ts';
import type { HeldSubscription, MeterPlan, PurchaseOperation } from '../domain/purchase-options.ts';
import { UnreadError } from '../errors/unread.ts';
import type {
  FoundMunicipality,
  MunicipalityFinding,
  MunicipalitySearch,
} from '../lookups/municipality-choice.ts';
import {
  findingOf,
  fromMunicipalities,
  MUNICIPALITY_COLUMNS,
  m,
  municipalityParameters,
} from '../lookups/municipality-table.ts';
import {
  b,
  type SubscriptionTuple,
  subscriptionJson,
  subscriptionOf,
  subscriptionsOfPlate,
} from '../lookups/plate-subscriptions-table.ts';

/** A municipality, with the plate's subscriptions and what it sells for them. */
export interface OptionsMunicipality extends FoundMunicipality {
  readonly name: string;
  readonly timeZone: string;
  /** Whether it has both subscriptions and this query switched on. */
  readonly serviceEnabled: boolean;
  /** Freely sold ones included; none where the service is off. */
  readonly held: readonly HeldSubscription[];
}

/**
 * Everything that the options rest on, in one statement and one round trip. It reads only rows of the plate and the
 * municipality, and the plans of its type for each subscription that is not freely sold.
 *
 * @param db a session that reads the primary: a renewal bought a moment ago must not be sold again
 * @throws UnreadError for a plate that has more subscriptions than are read
 */
export async function readOptionsFacts(
  db: D1DatabaseSession,
  search: MunicipalitySearch,
  plate: Plate,
  at: Instant,
): Promise<MunicipalityFinding<OptionsMunicipality>> {
  const { results } = await db
    .prepare(STATEMENTS[search.by]())
    .bind(...municipalityParameters(search), plate, at)
    .all<FactsRow>();
  const { tenantActive, rows } = findingOf(results);
  return {
    tenantActive,
    municipalities: rows.map(({ row, place }) => ({
      ...place,
      // Not null where the row has a municipality.
      name: row.name ?? '',
      timeZone: row.time_zone ?? '',
      serviceEnabled: row.service_enabled === 1,
      held: heldOf(row, plate),
    })),
  };
}

/** Parameters 1 and 2 are the municipality's. */
const PLATE = parameter(3);
const AT = parameter(4);

const y = alias(subscriptionTypes, 'y');
const n = alias(plans, 'n');

const PLAN = [n.code, n.amountCents, n.duration, n.description, n.forFirstActivation, n.forRenewal] as const;
type PlanTuple = TupleOf<typeof PLAN>;

const meterPlans = (): SQL =>
  jsonRows(
    jsonArray(PLAN),
    sql`from ${aliased(plans, n)}
      where ${n.municipalityId} = ${m.id} and ${n.subscriptionTypeId} = ${b.typeId} and ${n.active} and ${n.onParkingMeter}`,
  );

const HELD = [
  subscriptionJson(AT),
  y.freelySold,
  y.renewalAllowed,
  y.renewalOpensDaysBefore,
  sql<PlanTuple[]>`case when ${y.freelySold} then json_array() else ${meterPlans()} end`,
] as const;
type HeldTuple = TupleOf<typeof HELD>;

const SERVICE_ENABLED = sql<number | null>`${m.subscriptionsEnabled} and ${m.subscriptionOptionsEnabled}`;

const SELECTION = {
  ...MUNICIPALITY_COLUMNS,
  name: sql<string | null>`${m.name}`,
  time_zone: sql<string | null>`${m.timeZone}`,
  service_enabled: SERVICE_ENABLED,
  held: sql<string | null>`case when ${SERVICE_ENABLED} then ${jsonRows(
    jsonArray(HELD),
    sql`from ${subscriptionsOfPlate(PLATE, AT)} cross join ${aliased(subscriptionTypes, y)} on ${y.id} = ${b.typeId}`,
  )} end`,
} as const;

/** A row a municipality. `held` is JSON of {@link HeldTuple}s. */
type FactsRow = RowOf<typeof SELECTION>;

const statementOf = (by: MunicipalitySearch['by']) =>
  statement(() => sql`select ${columns(SELECTION)} ${fromMunicipalities(by)}`);

const STATEMENTS = {
  code: statementOf('code'),
  credential: statementOf('credential'),
  grant: statementOf('grant'),
} as const;

function heldOf({ code, held }: FactsRow, plate: Plate): HeldSubscription[] {
  // The shape is that of the statement above, and of the columns' CHECKs.
  const tuples = JSON.parse(held ?? '[]') as HeldTuple[];
  if (tuples.length > MAX_READ_SUBSCRIPTIONS) {
    throw new UnreadError(code ?? '', ['subscriptions']);
  }
  return tuples.map(
    ([subscription, freelySold, renewalAllowed, renewalOpensDaysBefore, meterPlanTuples]) => ({
      // The areas of a limited subscription are not read: no area is asked for.
      subscription: subscriptionOf(subscription satisfies SubscriptionTuple, plate, []),
      type: {
        freelySold: freelySold === 1,
        renewalAllowed: renewalAllowed === 1,
        renewalOpensDaysBefore,
      },
      plans: meterPlanTuples.map(planOf),
    }),
  );
}

function planOf([code, amountCents, duration, description, first, renewal]: PlanTuple): MeterPlan {
  const operations: PurchaseOperation[] = [];
  if (first === 1) operations.push('first_activation');
  if (renewal === 1) operations.push('renewal');
  return { code, amountCents, duration, description, operations };
}
