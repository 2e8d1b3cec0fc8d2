import { env } from 'cloudflare:workers';
import type { Env } from '../../src/env.ts';
import service from '../../src/worker.ts';
import { countedBindings } from '../support/doubles.ts';

const further = Object.fromEntries(
  // A binding of the bench with such a name is a database.
  Object.entries(env).filter(([name]) => name.startsWith('DB_')) as [string, D1Database][],
);
const {
  cost,
  bindings: { CREDENTIALS: _, SNAPSHOTS: __, ...databases },
} = countedBindings(further);

/** The service, which tells at `/rows` how many rows its databases have read, and in how many round trips, since it was asked last. */
export default {
  fetch(request, env, execution) {
    if (new URL(request.url).pathname === '/rows') {
      const { rowsRead: rows, roundTrips } = cost;
      cost.rowsRead = 0;
      cost.roundTrips = 0;
      return Response.json({ rows, roundTrips });
    }
    return service.fetch(request, { ...env, ...databases }, execution);
  },
  scheduled: (controller, env) => service.scheduled(controller, { ...env, ...databases }),
} satisfies ExportedHandler<Env>;
