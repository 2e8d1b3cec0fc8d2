import { createApp } from './app.ts';
import { runCron } from './crons.ts';
import { instant } from './domain/instant.ts';
import type { Env } from './env.ts';
import { warmUp } from './warm-up.ts';

export { CredentialObject } from './access/credential-object.ts';

warmUp();

const app = createApp();

export default {
  fetch: app.fetch,
  // Jobs go by the clock: one that is fired late tells of the instant that it runs at, not of the one it was meant for.
  scheduled: ({ cron }, env) => runCron(cron, env, () => instant(Date.now())),
} satisfies ExportedHandler<Env>;
