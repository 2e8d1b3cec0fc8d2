import { refuse } from '../../base/errors/refusal.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { loggedTarget } from '../../storage/call-log/masked-text.ts';
import { noteAbout } from '../administration/trail.ts';
import { readConfiguration } from './configuration-table.ts';
import { getConfiguration, putConfigurationDocument } from './contract.ts';
import { answeredOf } from './present.ts';
import { codesIn, putConfiguration } from './put-configuration.ts';

/** Mounts the configuration. */
export function configurationRoutes(app: App): void {
  serve(app, putConfigurationDocument, async (c) => {
    const document = c.req.valid('json');
    const { dry_run, version } = c.req.valid('query');
    const named = codesIn(document);
    const { tenants, municipalities } = named;
    c.get('log').target =
      loggedTarget((municipalities.length > 0 ? municipalities : tenants).join(',')) || null;
    // Tenants and municipalities outside the bounds do not become the call's subject in the log.
    const bounds = await c.get('bounds');
    for (const code of tenants) bounds.tenantOf(code);
    await bounds.requireMunicipalities(municipalities);
    noteAbout(c.get('log'), named);
    return succeed(c, await putConfiguration(c, document, dry_run === 'true', version));
  });

  serve(app, getConfiguration, async (c) => {
    const { municipality_code: code } = c.req.valid('query');
    const bounds = await c.get('bounds');
    await bounds.requireMunicipalities([code]);
    const asked = { tenants: [], municipalities: [code] };
    const stored = await readConfiguration(c.env.DB, asked, c.get('now'));
    const { whole, version = null, isRestoring } = stored.municipalities.get(code) ?? {};
    if (whole === undefined || version === null || isRestoring) {
      refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
    }
    return succeed(c, {
      configuration: {
        tenants: [...stored.tenants.values()],
        municipalities: [answeredOf(whole)],
      },
      version: new Date(version).toISOString(),
    });
  });
}
