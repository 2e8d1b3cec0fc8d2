import type { Plate } from '../domain/plate.ts';
import type { HeldSubscription, MeterPlan, PurchaseOperation } from '../domain/purchase-options.ts';
import type { MunicipalityFinding } from '../municipality/choice.ts';
import {
  fromMunicipalities,
  municipalityParameter,
  TENANT_ACTIVE,
} from '../municipality/municipality-table.ts';
import {
  SUBSCRIPTION_JSON,
  type SubscriptionTuple,
  subscriptionOf,
  subscriptionsOfPlate,
} from '../subscriptions/plate-subscriptions-table.ts';

/** What the query wants to know. */
export interface FactsQuery {
  readonly tenantId: number;
  /** The code asked for, or all that the credential may name when none was. */
  readonly municipalities: readonly string[];
  readonly plate: Plate;
}

/** What the database holds of a plate's subscriptions, and of what can be bought for them. */
export interface OptionsFacts extends MunicipalityFinding<Municipality> {
  /** Of the only municipality, freely sold ones included; none where the service is off. */
  readonly held: readonly HeldSubscription[];
}

export interface Municipality {
  readonly code: string;
  readonly name: string;
  readonly timeZone: string;
  /** Whether it has both subscriptions and this query switched on. */
  readonly serviceEnabled: boolean;
}

/**
 * Everything that the options rest on, in one statement and one round trip. The rows it reads are the plate's own and
 * the municipality's, and the plans of its type for each subscription that is not freely sold.
 *
 * @param db a session that reads the primary: a renewal bought a moment ago must not be sold again
 */
export async function readOptionsFacts(db: D1DatabaseSession, query: FactsQuery): Promise<OptionsFacts> {
  const { results } = await db
    .prepare(statement(query))
    .bind(query.tenantId, municipalityParameter(query.municipalities), query.plate)
    .all<FactsRow>();
  const [first] = results;
  const places = results.filter((row) => row.code !== null);
  const only = places.length === 1 ? places[0] : undefined;
  return {
    tenantActive: first?.tenant_active === 1,
    municipalities: places.map(municipalityOf),
    held: only ? heldOf(only, query) : [],
  };
}

/** A row a municipality. The JSON column holds arrays, since names would be parsed again for every item. */
interface FactsRow {
  readonly tenant_active: number;
  readonly code: string | null;
  readonly name: string;
  readonly time_zone: string;
  readonly service_enabled: number;
  readonly held: string | null;
}

type HeldTuple = [
  subscription: SubscriptionTuple,
  freelySold: number,
  renewalAllowed: number,
  renewalOpensDaysBefore: number | null,
  plans: PlanTuple[],
];

type PlanTuple = [
  code: string,
  amountCents: number,
  duration: string,
  description: string,
  forFirstActivation: number,
  forRenewal: number,
];

const SERVICE_ENABLED = 'm.subscriptions_enabled and m.subscription_options_enabled';

const PLANS = `
    select json_group_array(json_array(
      n.code, n.amount_cents, n.duration, n.description, n.for_first_activation, n.for_renewal
    )) from plans n
    where n.municipality_id = m.id and n.subscription_type_id = b.type_id and n.active and n.on_parking_meter`;

const HELD = `
  select json_group_array(json_array(
    ${SUBSCRIPTION_JSON},
    y.freely_sold, y.renewal_allowed, y.renewal_opens_days_before,
    case when y.freely_sold then json_array() else (${PLANS}
    ) end
  )) from ${subscriptionsOfPlate('?3')} join subscription_types y on y.id = b.type_id`;

const statement = ({ municipalities }: FactsQuery): string => `
select
  ${TENANT_ACTIVE} as tenant_active,
  m.code, m.name, m.time_zone, ${SERVICE_ENABLED} as service_enabled,
  case when ${SERVICE_ENABLED} then (${HELD}
  ) end as held
${fromMunicipalities(municipalities)}`;

function municipalityOf(row: FactsRow): Municipality {
  return {
    code: row.code ?? '',
    name: row.name,
    timeZone: row.time_zone,
    serviceEnabled: row.service_enabled === 1,
  };
}

function heldOf({ held }: FactsRow, { plate }: FactsQuery): HeldSubscription[] {
  // The shape is that of the statement above, and of the columns' CHECKs.
  const tuples = JSON.parse(held ?? '[]') as HeldTuple[];
  return tuples.map(([subscription, freelySold, renewalAllowed, renewalOpensDaysBefore, plans]) => ({
    // Of a limited subscription's areas none is read: no area is asked for.
    subscription: subscriptionOf(subscription, plate, []),
    type: {
      freelySold: freelySold === 1,
      renewalAllowed: renewalAllowed === 1,
      renewalOpensDaysBefore,
    },
    plans: plans.map(planOf),
  }));
}

function planOf([code, amountCents, duration, description, first, renewal]: PlanTuple): MeterPlan {
  const operations: PurchaseOperation[] = [];
  if (first === 1) operations.push('first_activation');
  if (renewal === 1) operations.push('renewal');
  return { code, amountCents, duration, description, operations };
}
