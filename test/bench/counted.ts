import type { Env } from '../../src/env.ts';
import service from '../../src/worker.ts';
import { countedBindings } from '../support/doubles.ts';

const { cost, bindings } = countedBindings();

/** The service, which tells at `/rows` how many rows its database has read since it was asked last. */
export default {
  fetch(request, env, execution) {
    if (new URL(request.url).pathname === '/rows') {
      const rows = cost.rowsRead;
      cost.rowsRead = 0;
      return Response.json({ rows });
    }
    return service.fetch(request, { ...env, DB: bindings.DB }, execution);
  },
  scheduled: (controller, env) => service.scheduled(controller, { ...env, DB: bindings.DB }),
} satisfies ExportedHandler<Env>;
