import * as z from 'zod';
import { withSubject } from '../../base/errors/call-subject.ts';
import { Refusal, refuseFields } from '../../base/errors/refusal.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { UNKNOWN_MUNICIPALITY } from '../../serving/administration/fields.ts';
import { CONFIGURATION_BODY } from '../../serving/http/body.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import { subjectOf } from '../administration/trail.ts';
import { readConfiguration } from './configuration-table.ts';
import { configurationAnswer, configurationChanged, configurationQuery } from './contract.ts';
import { presentConfiguration } from './kinds.ts';
import { aboutOf, putConfiguration, targetOf } from './put-configuration.ts';
import { type Reading, readDocument } from './reading.ts';

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

const path = '/api/v2/admin/configuration';

/** Creates or updates the items that a document names, and leaves the others alone. */
export const putConfigurationDocument = operation({
  id: 'putConfiguration',
  method: 'PUT',
  path,
  access: { by: 'administrator', office: 'changes' },
  // A document of 1 MiB may create more than 20,000 areas.
  deadlineMs: 30_000,
  // `readDocument` validates item by item, to report all errors at once.
  body: { kind: 'json', schema: z.looseObject({}), maxBytes: CONFIGURATION_BODY },
  answer: configurationChanged,
  errors: ['TENANT_NOT_ALLOWED', 'MUNICIPALITY_NOT_ALLOWED', 'INVALID_REQUEST'],
  log: { operation: 'admin', action: 'configuration.put' },
  handle: async ({ body }, context) => {
    const reading = readDocument(body);
    const named = aboutOf(reading);
    const target = targetOf(named);
    const aim = target === null ? {} : { target };
    // Tenants and municipalities outside the bounds do not become the call's subject in the log.
    await withSubject(aim, () => requireWithin(context.bounds, reading));
    const known = { ...subjectOf(named), ...aim };
    return withSubject(known, async () => {
      const { counts, subject } = await context.deadline.race(putConfiguration(context, reading));
      return { answer: counts, ...known, ...subject };
    });
  },
});

/** Returns the configuration of one municipality as a document that can be put again. */
export const getConfiguration = operation({
  id: 'getConfiguration',
  method: 'GET',
  path,
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  query: configurationQuery,
  answer: configurationAnswer,
  errors: ['MUNICIPALITY_NOT_ALLOWED', 'NOT_FOUND'],
  handle: async ({ query }, { env, deadline, bounds }) => {
    const code = query.municipality_code;
    await bounds.requireMunicipalities([code]);
    const state = await deadline.race(readConfiguration(env.DB, { tenants: [], municipalities: [code] }));
    const municipality = state.municipalities.get(code);
    if (municipality === undefined || municipality.restoring) {
      return { refused: new Refusal('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY }) };
    }
    return { answer: { configuration: presentConfiguration(state) } };
  },
});
