import type { Instant } from '../../domain/instant.ts';
import { planExpiry } from '../../domain/plan-expiry.ts';
import type { MeterPlan } from '../../domain/purchase-options.ts';
import type { Tariffa } from './contract.ts';

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
