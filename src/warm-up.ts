import { macsBy, sha256Hex } from './base/crypto/digest.ts';
import { CHECK } from './core/entitlement/facts.ts';
import { plateCheckRequest } from './core/plate-check/contract.ts';
import { prepareTimeZones } from './domain/zoned-time.ts';

/** After so many digests the runtime has compiled them: a first call that interprets its own takes 3 ms longer. */
const DIGESTS = 8;

/**
 * Builds what the first plate check of an isolate would otherwise wait for: the runtime's calendar data, the request's
 * schema, the digests' code and the text of its queries. A barrier asks so seldom that many of its calls are an isolate's first.
 *
 * Runs while the module is loaded: it reads no clock and no binding, and adds to the start-up, which has a limit.
 */
export function warmUp(): void {
  prepareTimeZones();
  plateCheckRequest.safeParse({ plate: 'AA000AA', area_code: 'A', event: 'entry' });
  const macs = macsBy(new Uint8Array(32));
  for (let made = 0; made < DIGESTS; made += 1)
    sha256Hex(macs('a token of some length, as a caller sends it').toHex());
  for (const query of CHECK) query();
}
