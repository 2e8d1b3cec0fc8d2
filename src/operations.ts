import { activeByArea } from './active-by-area/operation.ts';
import { getCall } from './admin/calls/operation.ts';
import { listDatabases } from './admin/databases/operation.ts';
import { getConfiguration, putConfigurationDocument } from './configuration/operations.ts';
import {
  change,
  getOwnCredential,
  issue,
  list,
  reconcile,
  revoke,
  rotate,
} from './credentials/operations.ts';
import { entitlementList } from './entitlement-list/operation.ts';
import { erasureOfPlate } from './erasure/operation.ts';
import { searchEvidence } from './evidence/operation.ts';
import { exportOfPlate } from './export/operation.ts';
import { importSessions, importSubscriptions } from './imports/operations.ts';
import { getLateness } from './lateness/operation.ts';
import { backUp, callOff, discard, move, restore } from './moves/operations.ts';
import { patrol } from './patrol/operation.ts';
import type { Operation } from './pipeline/operation.ts';
import { plateCheck, plateCheckAlias, plateCheckV1 } from './plate-check/operation.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from './public-occupancy/operations.ts';
import { description, health, ready } from './service/operations.ts';
import { getStatus } from './status/operation.ts';
import { subscriptionOptions } from './subscription-options/operation.ts';

/**
 * Every operation of the service, in the order in which the description shows them. The routes, the description and the
 * shared test suites are all made from this list.
 */
export const OPERATIONS: readonly Operation[] = [
  plateCheck,
  plateCheckAlias,
  plateCheckV1,
  patrol,
  searchEvidence,
  subscriptionOptions,
  activeByArea,
  entitlementList,
  listPublicMunicipalities,
  getPublicOccupancy,
  getOccupancyFeatures,
  getParkingPublicationLight,
  importSessions,
  importSubscriptions,
  putConfigurationDocument,
  getConfiguration,
  getLateness,
  issue,
  list,
  reconcile,
  change,
  revoke,
  rotate,
  getCall,
  listDatabases,
  getStatus,
  move,
  callOff,
  backUp,
  restore,
  discard,
  exportOfPlate,
  erasureOfPlate,
  getOwnCredential,
  description,
  ready,
  health,
];
