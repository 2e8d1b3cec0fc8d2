import { refuse } from '../../base/errors/refusal.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { normalizePlate } from '../../domain/plate.ts';
import { decidePurchase } from '../../domain/purchase-options.ts';
import { succeed } from '../../serving/answer.ts';
import type { App, JsonCall } from '../../serving/call.ts';
import { factsBesideGrant } from '../../serving/lookups/granted-municipality.ts';
import { serve } from '../../serving/serve.ts';
import { type optionsRequest, subscriptionOptions } from './contract.ts';
import { readOptionsFacts } from './facts.ts';
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

  const verdict = decidePurchase(municipality.held, at, municipality.timeZone);
  c.get('log').outcome = verdict.resultCode;
  for (const code of verdict.unprintable) {
    logEvent('error', 'plan_not_printable', {
      request_id: c.get('requestId'),
      municipality_code: municipality.code,
      codice_tariffa: code,
    });
  }
  const { terminal_code } = request;
  return succeed(c, presentOptions({ plate, terminal_code }, municipality, verdict, at, c.get('language')));
}
