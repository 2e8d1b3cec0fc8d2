import { createApp } from './app.ts';
import { runCron } from './crons.ts';
import { instant } from './domain/instant.ts';
import type { Env } from './env.ts';

export { CredentialObject } from './access/credential-object.ts';

const app = createApp();

export default {
  fetch: app.fetch,
  scheduled: ({ cron, scheduledTime }, env) => runCron(cron, env, instant(scheduledTime)),
} satisfies ExportedHandler<Env>;
