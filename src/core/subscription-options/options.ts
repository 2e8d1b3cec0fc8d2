import { refuse } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Instant } from '../../domain/instant.ts';
import { planExpiry } from '../../domain/plan-expiry.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import {
  currentExpiry,
  decidePurchase,
  type MeterPlan,
  type OfferedSubscription,
  obstacleOf,
  type PurchaseVerdict,
  plansFor,
  plansOnOffer,
} from '../../domain/purchase-options.ts';
import type { ValidRequest } from '../../serving/pipeline/operation.ts';
import type {
  CallContext,
  MunicipalityCallContext,
  MunicipalityReading,
} from '../../serving/pipeline/reading.ts';
import { type OptionsRequest, type Tariffa, tariffa } from './contract.ts';
import { type OptionsMunicipality, readOptionsFacts } from './facts.ts';

/**
 * A plan as the meter prints it. An expiry that cannot be written is blank, which the schema of the item refuses.
 *
 * @param currentExpiry when the active period ends, or null
 */
export function presentTariffa(
  plan: MeterPlan,
  currentExpiry: Instant | null,
  at: Instant,
  timeZone: string,
): Tariffa {
  return {
    codice_tariffa: plan.code,
    importo_eurocent: plan.amountCents,
    scadenza: planExpiry({ at, currentExpiry, duration: plan.duration, timeZone }) ?? '',
    descrizione: plan.description,
    jolly_info: '',
  };
}

/** What a meter may sell for a plate, in a municipality at an instant. */
export interface FoundOptions {
  readonly plate: Plate;
  readonly at: Instant;
  readonly municipality: OptionsMunicipality;
  readonly verdict: PurchaseVerdict;
}

interface OptionsQuery {
  readonly plate: Plate;
  readonly at: Instant;
}

export const optionsReading: MunicipalityReading<
  ValidRequest<OptionsRequest>,
  OptionsQuery,
  OptionsMunicipality
> = {
  kind: 'municipality',
  early: true,
  retried: false,
  code: ({ body }) => body.municipality_code,
  query: ({ body }, { now: at }) => {
    const plate = normalizePlate(body.plate);
    if (plate === null) {
      refuse('INVALID_PLATE');
    }
    return { plate, at };
  },
  read: (db, search, { plate, at }) => readOptionsFacts(db, search, { plate, at }),
};

/**
 * Decides what can be bought for the plate. Nothing is written.
 *
 * @returns null where the municipality has the service switched off
 */
export async function findOptions(
  context: MunicipalityCallContext<OptionsQuery, OptionsMunicipality>,
): Promise<FoundOptions | null> {
  const {
    municipality,
    query: { plate, at },
  } = context;
  if (!municipality.serviceEnabled) {
    return null;
  }
  const held = await withPlans(municipality, at, context);
  return { plate, at, municipality, verdict: decidePurchase(held, at) };
}

/** A plan takes some ten microseconds. Other calls of this isolate have their turn after so many. */
const PLANS_PER_TURN = 1_000;

/**
 * The subscriptions, each with the plans that the verdict may depend on: none where something else keeps it from being sold, and
 * none once two others can be. A plate may have thousands of subscriptions, and each of them 999 plans.
 *
 * @throws TimeoutError
 */
async function withPlans(
  municipality: OptionsMunicipality,
  at: Instant,
  context: CallContext,
): Promise<readonly OfferedSubscription[]> {
  const held: OfferedSubscription[] = [];
  let sellable = 0;
  let looked = 0;
  for (const item of municipality.held) {
    if (item.type.freelySold || sellable === 2 || obstacleOf(item, at) !== null) {
      held.push({ ...item, plans: [] });
      continue;
    }
    looked += item.plans.length;
    if (looked > PLANS_PER_TURN) {
      looked = item.plans.length;
      await context.deadline.race(scheduler.wait(1));
    }
    const offered = withPlansOnOffer(item, municipality, context);
    sellable += plansFor(offered).length > 0 ? 1 : 0;
    held.push(offered);
  }
  return held;
}

/**
 * Leaves out plans that are not on offer, and those that the meter cannot print, so that one bad plan does not block the good
 * ones, and logs which.
 */
function withPlansOnOffer(
  held: OfferedSubscription,
  municipality: OptionsMunicipality,
  { now, requestId }: CallContext,
): OfferedSubscription {
  const expiry = currentExpiry(held.subscription, now);
  const isPrintable = (plan: MeterPlan): boolean => {
    const item = presentTariffa(plan, expiry, now, municipality.timeZone);
    const { success, error } = tariffa.safeParse(item);
    if (!success) {
      logUnprintable(
        requestId,
        municipality,
        plan,
        error.issues.map(({ path }) => path.join('.')),
      );
    }
    return success;
  };
  return { ...held, plans: plansOnOffer(held, now, municipality.timeZone).filter(isPrintable) };
}

function logUnprintable(
  requestId: string,
  { code }: OptionsMunicipality,
  plan: MeterPlan,
  fields: readonly string[],
): void {
  logEvent('error', 'plan_not_printable', {
    request_id: requestId,
    municipality_code: code,
    codice_tariffa: plan.code,
    fields,
  });
}
