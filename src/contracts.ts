import { activeByArea } from './core/active-by-area/contract.ts';
import {
  found,
  foundForTheOffice,
  recorded,
  reversed,
  reversedByTheOffice,
  settled,
} from './core/payments/contract.ts';
import { plateCheck, plateCheckAlias, plateCheckV1 } from './core/plate-check/contract.ts';
import { subscriptionOptions } from './core/subscription-options/contract.ts';
import { entitlementList } from './field/entitlement-list/contract.ts';
import { patrol } from './field/patrol/contract.ts';
import { importSessions, importSubscriptions } from './intake/imports/contract.ts';
import { getCall } from './office/calls/contract.ts';
import { getConfiguration, putConfigurationDocument } from './office/configuration/contract.ts';
import { change, getOwnCredential, issue, list, revoke, rotate } from './office/credentials/contract.ts';
import { erasureOfPlate } from './office/erasure/contract.ts';
import { searchEvidence } from './office/evidence/contract.ts';
import { exportOfPlate } from './office/export/contract.ts';
import { exportOfSubscription } from './office/subscriptions/contract.ts';
import { getStatus } from './office/watch/contract.ts';
import {
  getOccupancyFeatures,
  getParkingPublicationLight,
  getPublicOccupancy,
  listPublicMunicipalities,
} from './public/occupancy/contract.ts';
import type { Contract } from './serving/contract.ts';
import { description, health, ready } from './serving/service/contract.ts';
import { backUp, discard, restore } from './upkeep/backup/contract.ts';

/**
 * The contract of every operation, in the order in which the description shows them. The description and the shared tests are
 * made from this list; the Worker does not load it.
 */
export const CONTRACTS: readonly Contract[] = [
  plateCheck,
  plateCheckAlias,
  plateCheckV1,
  patrol,
  searchEvidence,
  subscriptionOptions,
  recorded,
  reversed,
  found,
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
  issue,
  list,
  change,
  revoke,
  rotate,
  getCall,
  getStatus,
  backUp,
  restore,
  discard,
  exportOfPlate,
  exportOfSubscription,
  foundForTheOffice,
  settled,
  reversedByTheOffice,
  erasureOfPlate,
  getOwnCredential,
  description,
  ready,
  health,
];
