import { refuse } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Instant } from '../../domain/instant.ts';
import { normalizePlate } from '../../domain/plate.ts';
import {
  currentExpiry,
  decidePurchase,
  type MeterPlan,
  type OfferedSubscription,
  obstacleOf,
  plansFor,
  plansOnOffer,
} from '../../domain/purchase-options.ts';
import { succeed } from '../../serving/answer.ts';
import type { JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { type optionsRequest, tariffa } from './contract.ts';
import { type OptionsMunicipality, readOptionsFacts } from './facts.ts';
import { presentOptions, presentTariffa } from './present.ts';

/**
 * Answers what a meter can sell for a plate. The call is read-only. Its facts are read while the admission is being
 * decided, from the primary: a renewal bought a moment ago must not be sold again.
 */
export async function findSubscriptionOptions(c: JsonCall<typeof optionsRequest>): Promise<Response> {
  const request = c.req.valid('json');
  const at = c.get('now');
  const language = c.get('language');
  const log = c.get('log');
  const plate = normalizePlate(request.plate) ?? refuse('INVALID_PLATE');
  const facts = factsBesideGrant(c, request.municipality_code, (code) =>
    readOptionsFacts(c.env.DB, code, plate),
  );

  const grant = await c.get('admission').granted;
  const municipality = await facts.within(grant);
  if (!municipality.serviceEnabled) refuse('SERVICE_DISABLED');

  const verdict = decidePurchase(await withPlans(municipality, at, c.get('requestId')), at);
  log.outcome = verdict.resultCode;
  return succeed(c, presentOptions({ plate, at, municipality, verdict }, request.terminal_code, language));
}

/** A plan takes some ten microseconds. Other calls of this isolate have their turn after so many. */
const PLANS_PER_TURN = 1_000;

/**
 * The subscriptions, each with the plans that the verdict may depend on: none where something else keeps it from being sold, and
 * none once two others can be. A plate may have thousands of subscriptions, and each of them 999 plans.
 */
async function withPlans(
  municipality: OptionsMunicipality,
  at: Instant,
  requestId: string,
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
      await scheduler.wait(1);
    }
    const offered = withPlansOnOffer(item, municipality, at, requestId);
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
  now: Instant,
  requestId: string,
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
