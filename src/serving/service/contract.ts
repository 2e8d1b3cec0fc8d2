import * as z from 'zod';
import type { Contract } from '../contract.ts';

const readyResponse = z
  .object({
    ready: z.literal(true).describe('Always true: a service that is not ready answers 503.'),
    degraded: z
      .array(z.string().max(80))
      .max(100)
      .describe('Problems that do not stop the service: `snapshots` are older than five minutes.'),
  })
  .meta({ id: 'ReadyResponse', description: 'The service is ready.' });

/** Says that the Worker answers. Touches no storage. */
export const health = {
  id: 'getHealth',
  method: 'GET',
  path: '/health',
  access: { by: 'anybody' },
  deadlineMs: 5_000,
  answer: z.object({}).meta({ id: 'HealthResponse', description: 'The service answers.' }),
} as const satisfies Contract;

/** Says whether the parts work that the service cannot do without. */
export const ready = {
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  access: { by: 'anybody' },
  // All parts at once, of two seconds at most each.
  deadlineMs: 5_000,
  answer: readyResponse,
  errors: ['NOT_READY'],
} as const satisfies Contract;

/** The description of the service: a file that was made when it was built. */
export const description = {
  id: 'getDescription',
  method: 'GET',
  path: '/api/v2/openapi.json',
  access: { by: 'anybody' },
  deadlineMs: 5_000,
  answer: null,
  crossOrigin: { exposeHeaders: ['X-Request-Id', 'ETag'] },
  cached: true,
} as const satisfies Contract;
