import * as z from 'zod';
import { operation } from '../pipeline/operation.ts';

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
