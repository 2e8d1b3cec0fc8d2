import { env } from 'cloudflare:workers';

/** What this run's generated cases come from. A failure prints it; `TEST_SEED` in the environment sets another. */
export const RUN_SEED = Number(env.TEST_SEED);
