import { Hono } from 'hono';
import { CONFIGURATION_BODY, jsonBody } from '../../http/body.ts';
import type { AppEnv } from '../../http/context.ts';
import { answer } from '../../http/envelope.ts';
import { methodNotAllowed, operation } from '../../http/operation.ts';
import { Refusal } from '../../http/refusal.ts';
import { validated } from '../../http/validation.ts';
import { administrationExists, administrator } from '../administrator.ts';
import { type About, tellAbout } from '../trail.ts';
import { aboutOf, targetOf } from './about.ts';
import { readConfiguration } from './configuration-table.ts';
import { presentConfiguration } from './present.ts';
import { putConfiguration } from './put-configuration.ts';
import { readDocument } from './reading.ts';
import { configurationQuery } from './request.ts';
import type { ConfigurationAnswer, ConfigurationChanged } from './response.ts';

const PATH = '/api/v2/admin/configuration';
/** A document of 1 MiB may create more than 20,000 areas. */
const PUT_MS = 30_000;
const GET_MS = 5_000;

/** The administrator puts the configuration, and gets that of one municipality. */
export function configurationRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.use(PATH, administrationExists);

  routes.put(
    PATH,
    operation('admin', PUT_MS, 'configuration.put'),
    administrator,
    jsonBody(CONFIGURATION_BODY),
    async (c) => {
      const { call, deadline } = c.var;
      const reading = readDocument(await c.req.json());
      const about = aboutOf(reading);
      call.target = targetOf(about);
      tellAbout(call, about);
      const onAbout = (known: About) => tellAbout(call, known);
      const counts = await deadline.race(putConfiguration(c.env, reading, onAbout));
      return answer(c, counts satisfies ConfigurationChanged);
    },
  );

  routes.get(
    PATH,
    operation(null, GET_MS),
    administrator,
    validated('query', configurationQuery),
    async (c) => {
      const { municipality_code: code } = c.req.valid('query');
      const asked = { tenants: [], municipalities: [code] };
      const state = await c.var.deadline.race(readConfiguration(c.env.DB, asked));
      if (!state.municipalities.has(code)) {
        throw new Refusal('NOT_FOUND', { message: UNKNOWN_MUNICIPALITY });
      }
      const found: ConfigurationAnswer = { configuration: presentConfiguration(state) };
      return answer(c, found);
    },
  );

  routes.all(PATH, methodNotAllowed('GET, PUT'));
  return routes;
}

const UNKNOWN_MUNICIPALITY = {
  en: 'There is no municipality of this code.',
  it: 'Non c’è un comune con questo codice.',
};
