import * as z from 'zod';
import { Refusal } from '../../base/errors/refusal.ts';
import { operation } from '../pipeline/operation.ts';
import { readyResponse } from './contract.ts';
import { Readiness } from './readiness.ts';

/** Says that the Worker answers. Touches no storage. */
export const health = operation({
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  access: { by: 'anybody' },
  deadlineMs: 5_000,
  answer: z.object({}).meta({ id: 'HealthResponse', description: 'The service answers.' }),
  handle: async () => ({ answer: {} }),
});

/** Says whether the parts work that the service cannot do without. */
export const ready = operation({
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  access: { by: 'anybody' },
  // All parts at once, of two seconds at most each; databases six at a time.
  deadlineMs: 5_000,
  answer: readyResponse,
  errors: ['NOT_READY'],
  handle: async (_, { env, now, isolate, deadline }) => {
    const { failing, degraded } = await deadline.race(isolate.get(Readiness).find(env, now));
    return failing.length > 0
      ? { refused: new Refusal('NOT_READY', { failing }) }
      : { answer: { ready: true as const, degraded: [...degraded] } };
  },
});

/** The description of the service: a file that was made when it was built. */
export const description = operation({
  id: 'getDescription',
  method: 'GET',
  path: '/api/v2/openapi.json',
  access: { by: 'anybody' },
  deadlineMs: 5_000,
  answer: null,
  crossOrigin: { exposeHeaders: ['X-Request-Id', 'ETag'] },
  cached: true,
  handle: async () => ({ asset: { path: '/openapi.json', contentType: 'application/json' } }),
});
