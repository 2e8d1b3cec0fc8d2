import type { App } from '../../serving/call.ts';
import { serve } from '../../serving/serve.ts';
import { entitlementList } from './contract.ts';
import { listEntitlements } from './list-entitlements.ts';

/** Mounts the entitlement list. */
export const entitlementListRoutes = (app: App): void => serve(app, entitlementList, listEntitlements);
