import { activeByArea } from './core/active-by-area/operation.ts';
import { plateCheck, plateCheckAlias, plateCheckV1 } from './core/plate-check/operation.ts';
import { subscriptionOptions } from './core/subscription-options/operation.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from './public/occupancy/operations.ts';
import type { ListedOperation, Operation } from './serving/pipeline/operation.ts';
import { description, health, ready } from './serving/service/operations.ts';

/**
 * Every operation of the service, in the order in which the description shows them. The routes, the description and the
 * shared test suites are all made from this list.
 *
 * Those that somebody waits for are imported, and an isolate starts with them. The others are loaded by the first call
 * below one of their paths.
 */
export const OPERATIONS: readonly ListedOperation[] = [
  plateCheck,
  plateCheckAlias,
  plateCheckV1,
  {
    below: '/api/v2/patrol',
    load: () => import('./field/patrol/operation.ts').then((of) => [of.patrol]),
  },
  {
    below: '/api/v2/evidence',
    load: () => import('./office/evidence/operation.ts').then((of) => [of.searchEvidence]),
  },
  subscriptionOptions,
  {
    below: '/api/v2/parking-meters/subscription-payments',
    load: () => import('./core/payments/operations.ts').then((of) => [of.record, of.reverse, of.find]),
  },
  activeByArea,
  {
    below: '/api/v2/facilities',
    load: () => import('./field/entitlement-list/operation.ts').then((of) => [of.entitlementList]),
  },
  listPublicMunicipalities,
  getPublicOccupancy,
  getOccupancyFeatures,
  getParkingPublicationLight,
  {
    below: '/api/v2/imports',
    load: () =>
      import('./intake/imports/operations.ts').then((of) => [of.importSessions, of.importSubscriptions]),
  },
  {
    below: '/api/v2/admin/configuration',
    load: () =>
      import('./office/configuration/operations.ts').then((of) => [
        of.putConfigurationDocument,
        of.getConfiguration,
      ]),
  },
  {
    below: '/api/v2/admin/credentials',
    load: () =>
      import('./office/credentials/operations.ts').then((of) => [
        of.issue,
        of.list,
        of.change,
        of.revoke,
        of.rotate,
      ]),
  },
  {
    below: '/api/v2/admin/calls',
    load: () => import('./office/calls/operation.ts').then((of) => [of.getCall]),
  },
  {
    below: '/api/v2/admin/status',
    load: () => import('./office/watch/operation.ts').then((of) => [of.getStatus]),
  },
  {
    below: '/api/v2/admin/municipalities',
    load: () => import('./upkeep/backup/operations.ts').then((of) => [of.backUp, of.restore, of.discard]),
  },
  {
    below: '/api/v2/admin/plates/export',
    load: () => import('./office/export/operation.ts').then((of) => [of.exportOfPlate]),
  },
  {
    below: '/api/v2/admin/subscriptions/export',
    load: () => import('./office/subscriptions/operation.ts').then((of) => [of.exportOfSubscription]),
  },
  {
    below: '/api/v2/admin/payments',
    load: () => import('./core/payments/operations.ts').then((of) => [of.findForTheOffice, of.settle]),
  },
  {
    below: '/api/v2/admin/plates/erase',
    load: () => import('./office/erasure/operation.ts').then((of) => [of.erasureOfPlate]),
  },
  {
    below: '/api/v2/credential',
    load: () => import('./office/credentials/operations.ts').then((of) => [of.getOwnCredential]),
  },
  description,
  ready,
  health,
];

/** All of them, loaded: for what makes the description, and for tests. */
export async function loadAll(): Promise<readonly Operation[]> {
  const loaded = await Promise.all(OPERATIONS.map((listed) => ('load' in listed ? listed.load() : [listed])));
  return loaded.flat();
}
