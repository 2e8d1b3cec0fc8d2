import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { grantedCode, requireGranted } from '../../serving/lookups/granted-municipality.ts';
import { serve } from '../../serving/serve.ts';
import { searchEvidence } from './contract.ts';
import { readPlace } from './facts.ts';
import { presentEvidence } from './present.ts';
import { findEvidence, requestedSubject } from './search.ts';

/** Mounts the search for evidence. Nothing of it is read before the grant. */
export function evidenceRoutes(app: App): void {
  serve(app, searchEvidence, async (c) => {
    const request = c.req.valid('json');
    const now = c.get('now');
    const language = c.get('language');
    const log = c.get('log');
    const { plate, at } = requestedSubject(request, c.env, now);

    const grant = await c.get('admission').granted;
    const code = await grantedCode(c.env.DB, grant, request.municipality_code);
    const place = requireGranted(await readPlace(c.env.DB, code), grant);
    log.municipalityCode = code;
    log.plate = plate;

    const evidence = await findEvidence(c.env, place, { plate, at }, request, now);
    return succeed(c, presentEvidence(evidence, now, language));
  });
}
