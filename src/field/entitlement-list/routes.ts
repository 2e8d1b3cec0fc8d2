import type { App } from '../../serving/call.ts';
import { logged } from '../../serving/middleware/call-log.ts';
import { credential } from '../../serving/middleware/credential.ts';
import { deadline } from '../../serving/middleware/deadline.ts';
import { path, query } from '../../serving/middleware/parameters.ts';
import { entitlementList } from './contract.ts';
import { listEntitlements } from './list-entitlements.ts';

/** Mounts the entitlement list. */
export function entitlementListRoutes(app: App): void {
  app.get(
    entitlementList.path,
    logged(entitlementList),
    deadline(entitlementList.deadlineMs),
    credential(entitlementList.access),
    query(entitlementList.query),
    path(entitlementList.pathParameters),
    listEntitlements,
  );
}
