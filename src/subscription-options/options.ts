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
import { Refusal } from '../errors/refusal.ts';
import { readBesideAdmission, readGranted } from '../lookups/located-municipality.ts';
import {
  chooseMunicipality,
  type MunicipalityFinding,
  type MunicipalitySearch,
  settlesMunicipality,
} from '../lookups/municipality-choice.ts';
import type { CredentialCallContext } from '../pipeline/operation.ts';
import { logEvent } from '../platform/log-event.ts';
import type { OptionsRequest } from './contract.ts';
import { tariffa } from './contract.ts';
import { type OptionsMunicipality, readOptionsFacts } from './facts.ts';
import { presentTariffa } from './present-tariffa.ts';

/** What a meter may sell for a plate, in a place at an instant. */
export interface FoundOptions {
  readonly plate: Plate;
  readonly at: Instant;
  readonly municipality: OptionsMunicipality;
  readonly verdict: PurchaseVerdict;
}

/** What a meter may sell, or why the query is refused. */
export type OptionsFinding =
  | { readonly found: FoundOptions }
  | { readonly refused: Refusal; readonly municipality?: string };

/**
 * The subscription options query: reads what is known of the plate's subscriptions, and decides what can be bought.
 * The primary database alone is asked, and nothing is written.
 *
 * @throws Refusal `INVALID_PLATE`
 */
export async function findOptions(
  request: OptionsRequest,
  context: CredentialCallContext,
): Promise<OptionsFinding> {
  const plate = normalizePlate(request.plate);
  if (plate === null) {
    throw new Refusal('INVALID_PLATE');
  }
  const choice = chooseMunicipality(await factsOf(plate, request.municipality_code, context));
  if ('refused' in choice) {
    return { refused: new Refusal(choice.refused) };
  }
  const municipality = choice.chosen;
  if (!municipality.serviceEnabled) {
    return { refused: new Refusal('SERVICE_DISABLED'), municipality: municipality.code };
  }
  const held = municipality.held.map((item) => withPrintablePlans(item, municipality, context));
  return { found: { plate, at: context.now, municipality, verdict: decidePurchase(held, context.now) } };
}

/** Reads beside the admission, and once more where that was not of the municipalities that the admission grants. */
async function factsOf(
  plate: Plate,
  code: string | undefined,
  context: CredentialCallContext,
): Promise<MunicipalityFinding<OptionsMunicipality>> {
  const { deadline, admission, now } = context;
  const read = (db: D1Database, search: MunicipalitySearch) =>
    deadline.race(readOptionsFacts(db.withSession('first-primary'), search, plate, now));
  const reading = admission.beside(() => readBesideAdmission(context, code, read));
  const grant = await admission.granted;
  if (grant.municipalities.length > 0) {
    const facts = await reading;
    if (settlesMunicipality(facts, grant)) {
      return facts;
    }
  }
  const { found } = await readGranted(context, grant, code, read);
  return found;
}

/**
 * Leaves out what the meter could not print, so that one bad plan does not keep the good ones from being sold. The
 * structured log says which.
 */
function withPrintablePlans(
  held: HeldSubscription,
  municipality: OptionsMunicipality,
  { now, requestId }: CredentialCallContext,
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
