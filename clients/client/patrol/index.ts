/** What a patrol's device needs: see docs/patrol.md of the service. */
export { type ListStore, memoryStore } from '../gate/store.ts';
export { createPatrol } from './patrol.ts';
export type { Patrol, PatrolSettings, Seen, Settled } from './settings.ts';
export { mayIssue, type NextStep, nextStep, type PatrolAnswer, type PatrolItem } from './verdict.ts';
