/** A gate that works without the network: see docs/gate.md of the service, and README.md. */
export type { AccessEvent, AccessReasonCode } from '../../../src/domain/facility-access.ts';
export type { UnknownCode } from './conclude.ts';
export type { Action, Decision } from './decision.ts';
export type { GateEvent } from './events.ts';
export { createGate } from './gate.ts';
export type { Gate, GateSettings, GateStatus } from './gate-contract.ts';
export { type ListStore, memoryStore } from './store.ts';
