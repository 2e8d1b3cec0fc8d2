import { Refusal, refuse, refuseFields } from '../../base/errors/refusal.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { succeed } from '../../serving/answer.ts';
import type { App } from '../../serving/call.ts';
import { administration } from '../../serving/middleware/administration.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { officer } from '../../serving/middleware/officer.ts';
import { query } from '../../serving/middleware/parameters.ts';
import { noteAbout } from '../administration/trail.ts';
import { readConfiguration } from './configuration-table.ts';
import { getConfiguration, putConfigurationDocument } from './contract.ts';
import { presentConfiguration } from './kinds.ts';
import { aboutOf, putConfiguration, targetOf } from './put-configuration.ts';
import { type Reading, readDocument } from './reading.ts';

/** Mounts the configuration. */
export function configurationRoutes(app: App): void {
  app.put(
    putConfigurationDocument.path,
    logged(putConfigurationDocument),
    deadline(putConfigurationDocument.deadlineMs),
    administration(putConfigurationDocument.access),
    json(putConfigurationDocument.body),
    officer,
    query(putConfigurationDocument.query),
    async (c) => {
      const reading = readDocument(c.req.valid('json'));
      const named = aboutOf(reading);
      c.var.log.target = targetOf(named);
      // Tenants and municipalities outside the bounds do not become the call's subject in the log.
      await requireWithin(await c.var.bounds, reading);
      noteAbout(c.var.log, named);
      return succeed(c, await putConfiguration(c, reading, c.req.valid('query').dry_run));
    },
  );

  app.get(
    getConfiguration.path,
    logged(getConfiguration),
    deadline(getConfiguration.deadlineMs),
    administration(getConfiguration.access),
    officer,
    query(getConfiguration.query),
    async (c) => {
      const { municipality_code: code } = c.req.valid('query');
      const bounds = await c.var.bounds;
      await bounds.requireMunicipalities([code]);
      const state = await readConfiguration(c.env.DB, { tenants: [], municipalities: [code] });
      const municipality = state.municipalities.get(code);
      if (municipality === undefined || municipality.restoring) {
        refuse('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
      }
      return succeed(c, { configuration: presentConfiguration(state) });
    },
  );
}

/**
 * Checks that a document stays within the bounds, before any of its tenants and municipalities are read. If its form is wrong
 * too, reports the form, as every operation does.
 *
 * @throws Refusal `INVALID_REQUEST`, `TENANT_NOT_ALLOWED`, `MUNICIPALITY_NOT_ALLOWED`
 */
async function requireWithin(bounds: Bounds, { tenants, municipalities, issues }: Reading): Promise<void> {
  try {
    for (const code of [
      ...tenants.map((tenant) => tenant.code),
      ...municipalities.flatMap(({ given }) => given.tenant ?? []),
    ]) {
      bounds.tenantOf(code);
    }
    await bounds.requireMunicipalities(municipalities.map(({ code }) => code));
  } catch (error) {
    if (error instanceof Refusal && issues.length > 0) {
      refuseFields(issues);
    }
    throw error;
  }
}
