import { activeByArea } from './active-by-area/operation.ts';
import { getCall } from './admin/calls/operation.ts';
import { getConfiguration, putConfigurationDocument } from './admin/configuration/operations.ts';
import { change, issue, list, reconcile, revoke, rotate } from './admin/credentials/operations.ts';
import { callOff, listDatabases, move } from './admin/databases/operations.ts';
import { erasureOfPlate, exportOfPlate } from './admin/plates/operations.ts';
import { entitlementList } from './entitlement-list/operation.ts';
import { searchEvidence } from './evidence/operation.ts';
import { importSessions, importSubscriptions } from './imports/operations.ts';
import type { Operation } from './pipeline/operation.ts';
import { plateCheck, plateCheckAlias, plateCheckV1 } from './plate-check/operation.ts';
import {
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from './public-occupancy/operations.ts';
import { description, health } from './service/operations.ts';
import { subscriptionOptions } from './subscription-options/operation.ts';

/**
 * Every operation of the service, in the order in which the description shows them. The routes, the description and the
 * shared test suites are all made from this list.
 */
export const OPERATIONS: readonly Operation[] = [
  plateCheck,
  plateCheckAlias,
  plateCheckV1,
  searchEvidence,
  subscriptionOptions,
  activeByArea,
  entitlementList,
  listPublicMunicipalities,
  getPublicOccupancy,
  getParkingPublicationLight,
  importSessions,
  importSubscriptions,
  putConfigurationDocument,
  getConfiguration,
  issue,
  list,
  reconcile,
  change,
  revoke,
  rotate,
  getCall,
  listDatabases,
  move,
  callOff,
  exportOfPlate,
  erasureOfPlate,
  description,
  health,
];
