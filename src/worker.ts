import { createApp } from './app.ts';
import { instant } from './domain/instant.ts';
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
    await runCron(cron, env, () => instant(Date.now()));
  },
} satisfies ExportedHandler<Env>;
