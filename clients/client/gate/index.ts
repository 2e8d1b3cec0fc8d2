/** A gate that works without the network: see docs/gate.md of the service, and README.md. */
export type { AccessEvent, AccessReasonCode } from '../../../src/domain/facility-access.ts';
export type { UnknownCode } from './conclude.ts';
export type { GateEvent } from './events.ts';
export {
  type Action,
  createGate,
  type Decision,
  type Gate,
  type GateSettings,
  type GateStatus,
} from './gate.ts';
export type { UnreadableEntries } from './held-list.ts';
export { type ListStore, memoryStore } from './store.ts';
