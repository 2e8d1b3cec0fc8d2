import { createApp } from './app.ts';
import { runCron } from './crons.ts';
import { instant } from './domain/instant.ts';
import { prepareTimeZones } from './domain/zoned-time.ts';
import type { Env } from './env.ts';

export { CredentialObject } from './access/credential-object.ts';

// Before the first call comes, so that it does not wait for it.
prepareTimeZones();

const app = createApp();

export default {
  fetch: app.fetch,
  // Jobs go by the clock: one that is fired late tells of the instant that it runs at, not of the one it was meant for.
  scheduled: ({ cron }, env) => runCron(cron, env, () => instant(Date.now())),
} satisfies ExportedHandler<Env>;
