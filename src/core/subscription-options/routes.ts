import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { subscriptionOptions } from './contract.ts';
import { findSubscriptionOptions } from './options.ts';

/** Mounts the subscription options query. */
export const subscriptionOptionsRoutes = (app: App): void =>
  serve(app, subscriptionOptions, findSubscriptionOptions);
