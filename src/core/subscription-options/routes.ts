import type { App } from '../../serving/call.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { credential } from '../../serving/middleware/credential.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { json } from '../../serving/middleware/json.ts';
import { subscriptionOptions } from './contract.ts';
import { findSubscriptionOptions } from './options.ts';

/** Mounts the subscription options query. */
export function subscriptionOptionsRoutes(app: App): void {
  const { path, deadlineMs, access, body } = subscriptionOptions;
  app.post(
    path,
    logged(subscriptionOptions),
    deadline(deadlineMs),
    credential(access),
    json(body),
    findSubscriptionOptions,
  );
}
