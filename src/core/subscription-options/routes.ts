import { refuse } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Instant } from '../../domain/instant.ts';
import { planExpiry } from '../../domain/plan-expiry.ts';
import { normalizePlate } from '../../domain/plate.ts';
import {
  currentExpiry,
  decidePurchase,
  type OfferedSubscription,
  obstacleOf,
  plansOnOffer,
} from '../../domain/purchase-options.ts';
import { succeed } from '../../serving/answer.ts';
import type { App, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { serve } from '../../serving/serve.ts';
import { type optionsRequest, subscriptionOptions } from './contract.ts';
import { type OptionsMunicipality, readOptionsFacts } from './facts.ts';
import { presentOptions } from './present.ts';

/** Mounts the subscription options query. */
export const subscriptionOptionsRoutes = (app: App): void =>
  serve(app, subscriptionOptions, findSubscriptionOptions);

/**
 * Answers what a meter can sell for a plate. The call is read-only. Its facts are read while the admission is being
 * decided, from the primary: a renewal bought a moment ago must not be sold again.
 */
async function findSubscriptionOptions(c: JsonCall<typeof optionsRequest>): Promise<Response> {
  const request = c.req.valid('json');
  const at = c.get('now');
  const plate = normalizePlate(request.plate) ?? refuse('INVALID_PLATE');
  const facts = factsBesideGrant(c, request.municipality_code, (code) =>
    readOptionsFacts(c.env.DB, code, plate),
  );

  const grant = await c.get('admission').granted;
  const municipality = await facts.within(grant);
  const { subscriptionsEnabled, subscriptionOptionsEnabled } = municipality;
  if (!subscriptionsEnabled || !subscriptionOptionsEnabled) refuse('SERVICE_DISABLED');

  const held = municipality.held.map((one) => withPlansOnOffer(one, municipality, at, c.get('requestId')));
  const verdict = decidePurchase(held, at);
  c.get('log').outcome = verdict.resultCode;
  const { terminal_code } = request;
  return succeed(c, presentOptions({ plate, terminal_code }, municipality, verdict, at, c.get('language')));
}

/**
 * Leaves out plans that are not on offer, and those whose expiry no meter can print, so that one bad plan does not block the good
 * ones, and logs these.
 */
function withPlansOnOffer(
  held: OfferedSubscription,
  { code, timeZone }: OptionsMunicipality,
  at: Instant,
  requestId: string,
): OfferedSubscription {
  // Its plans do not matter.
  if (held.type.freelySold || obstacleOf(held, at) !== null) return held;
  const expiry = currentExpiry(held.subscription, at);
  const plans = plansOnOffer(held, at, timeZone).filter((plan) => {
    const isPrintable = planExpiry({ at, currentExpiry: expiry, duration: plan.duration, timeZone }) !== null;
    if (!isPrintable) {
      logEvent('error', 'plan_not_printable', {
        request_id: requestId,
        municipality_code: code,
        codice_tariffa: plan.code,
      });
    }
    return isPrintable;
  });
  return { ...held, plans };
}
