import type { Env } from '../../src/env.ts';
import service from '../../src/worker.ts';
import { countedBindings } from '../support/doubles.ts';

const {
  cost,
  bindings: { DB },
} = countedBindings();

/** The service, which tells at `/rows` how many rows its database has read, and in how many round trips, since it was asked last. */
export default {
  fetch(request, env, execution) {
    if (new URL(request.url).pathname === '/rows') {
      const { rowsRead: rows, roundTrips } = cost;
      cost.rowsRead = 0;
      cost.roundTrips = 0;
      return Response.json({ rows, roundTrips });
    }
    return service.fetch(request, { ...env, DB }, execution);
  },
  scheduled: (controller, env) => service.scheduled(controller, { ...env, DB }),
} satisfies ExportedHandler<Env>;
