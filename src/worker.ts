import { createApp } from './app.ts';
import { clockNow } from './base/platform/clock.ts';
import type { Env } from './env.ts';
import { warmUp } from './warm-up.ts';

export { CredentialObject } from './serving/access/credential-object.ts';

warmUp();

const app = createApp();

export default {
  fetch: app.fetch,
  // A job that starts late uses the instant at which it runs, not the one it was scheduled for.
  scheduled: async ({ cron }, env) => {
    const { runCron } = await import('./crons.ts');
    await runCron(cron, env, clockNow);
  },
} satisfies ExportedHandler<Env>;
