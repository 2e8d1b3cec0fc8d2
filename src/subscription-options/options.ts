import type { Credential } from '../access/credential-record.ts';
import type { Instant } from '../domain/instant.ts';
import { normalizePlate, type Plate } from '../domain/plate.ts';
import {
  currentExpiry,
  decidePurchase,
  type HeldSubscription,
  type MeterPlan,
  type PurchaseVerdict,
  plansFor,
} from '../domain/purchase-options.ts';
import type { Env } from '../env.ts';
import type { Deadline } from '../http/deadline.ts';
import { Refusal } from '../http/refusal.ts';
import { chosenMunicipality, municipalitiesAsked } from '../municipality/choice.ts';
import { type Municipality, type OptionsFacts, readOptionsFacts } from './facts.ts';
import { presentTariffa } from './present.ts';
import type { OptionsRequest } from './request.ts';
import { tariffa } from './response.ts';

/** The instants and bindings of a call. */
export interface OptionsContext {
  readonly env: Env;
  /** The consultation instant. */
  readonly now: Instant;
  readonly deadline: Deadline;
  readonly credential: Credential;
  readonly requestId: string;
  /** Told the municipality's code as soon as it is chosen, also where the call is refused for another reason. */
  readonly onMunicipality: (code: string) => void;
}

/** What a meter may sell for a plate, in a place at an instant. */
export interface FoundOptions {
  readonly plate: Plate;
  readonly at: Instant;
  readonly municipality: Municipality;
  readonly verdict: PurchaseVerdict;
}

/**
 * The subscription options query: reads what is known of the plate's subscriptions, and decides what can be bought.
 * The primary database alone is asked, and nothing is written.
 *
 * @throws Refusal of the plate, the municipality or the service, in this order
 */
export async function findOptions(request: OptionsRequest, context: OptionsContext): Promise<FoundOptions> {
  const { env, now: at, deadline, credential } = context;
  const plate = normalizePlate(request.plate);
  if (plate === null) {
    throw new Refusal('INVALID_PLATE');
  }
  const query = {
    tenantId: credential.tenantId,
    municipalities: municipalitiesAsked(request.municipality_code, credential),
    plate,
  };
  const facts = await deadline.race(readOptionsFacts(env.DB.withSession('first-primary'), query));
  const municipality = municipalityOf(facts, context);
  const held = facts.held.map((item) => withPrintablePlans(item, municipality, context));
  return { plate, at, municipality, verdict: decidePurchase(held, at) };
}

function municipalityOf(facts: OptionsFacts, { onMunicipality }: OptionsContext): Municipality {
  const choice = chosenMunicipality(facts);
  if ('refused' in choice) {
    throw new Refusal(choice.refused);
  }
  onMunicipality(choice.chosen.code);
  if (!choice.chosen.serviceEnabled) {
    throw new Refusal('SERVICE_DISABLED');
  }
  return choice.chosen;
}

/**
 * Leaves out what the meter could not print, so that one bad plan does not keep the good ones from being sold. The
 * structured log says which.
 */
function withPrintablePlans(
  held: HeldSubscription,
  municipality: Municipality,
  { now, requestId }: OptionsContext,
): HeldSubscription {
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
  return { ...held, plans: plansFor(held).filter(isPrintable) };
}

function logUnprintable(
  requestId: string,
  { code }: Municipality,
  plan: MeterPlan,
  fields: readonly string[],
): void {
  console.error(
    JSON.stringify({
      event: 'plan_not_printable',
      request_id: requestId,
      municipality_code: code,
      codice_tariffa: plan.code,
      fields,
    }),
  );
}
