import type { createApp as createAppOfSources } from '../../src/app.ts';
import service from '../../src/worker.ts';

/** The app of the built modules. It takes no options: it is one with the operations and the call log of the service. */
export const createApp = () =>
  ({ fetch: service.fetch }) satisfies Pick<ReturnType<typeof createAppOfSources>, 'fetch'>;
