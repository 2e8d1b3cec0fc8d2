import * as z from 'zod';

export const readyResponse = z
  .object({
    ready: z.literal(true).describe('Always true: a service that is not ready answers 503.'),
    degraded: z
      .array(z.string().max(80))
      .max(100)
      .describe(
        'What is wrong, but stops nothing else: `database:DB_2`, a database that is away or behind; `snapshots`, which are older than five minutes.',
      ),
  })
  .meta({ id: 'ReadyResponse', description: 'The service can work.' });
