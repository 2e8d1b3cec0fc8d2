import * as z from 'zod';

export const readyResponse = z
  .object({
    ready: z.literal(true).describe('Always true: a service that is not ready answers 503.'),
    degraded: z
      .array(z.string().max(80))
      .max(100)
      .describe(
        'Problems that do not stop the service: `database:DB_2` is away or behind; `snapshots` are older than five minutes.',
      ),
  })
  .meta({ id: 'ReadyResponse', description: 'The service is ready.' });
