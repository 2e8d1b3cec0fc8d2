import { CHECK } from './core/entitlement/facts.ts';
import { plateCheckRequest } from './core/plate-check/contract.ts';
import { prepareTimeZones } from './domain/zoned-time.ts';

/**
 * Builds what the first plate check of an isolate would otherwise wait for: the runtime's calendar data, the request's
 * schema and the text of its queries. A barrier asks so seldom that many of its calls are an isolate's first.
 *
 * Runs while the module is loaded: it reads no clock and no binding, and adds to the start-up, which has a limit.
 */
export function warmUp(): void {
  prepareTimeZones();
  plateCheckRequest.safeParse({ plate: 'AA000AA', area_code: 'A', event: 'entry' });
  for (const query of CHECK) query();
}
