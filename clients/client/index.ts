/** A typed client of the parking entitlement service: see README.md. */

export type { components } from '../types/schema.ts';
export { type Client, createClient, type JsonOperations, type Method } from './client.ts';
export type {
  ImportInput,
  ImportOptions,
  ImportProgress,
  ImportResult,
  ImportTotals,
  RejectedLine,
} from './imports/import.ts';
export type { LineSource } from './imports/parts.ts';
export type { EntitlementListInput, EntitlementListPage } from './list/pages.ts';
export type {
  ListChange,
  ListEntry,
  ListHeader,
  Removed,
  SessionEntry,
  SubscriptionEntry,
  Unreadable,
} from './list/wire.ts';
export type { Answer, Input, JsonOperationId, OperationId } from './operation-types.ts';
export type { ClientCode, Failure, FailureKind, Issue, Result, Success } from './result.ts';
export type { CallOptions, ClientSettings } from './settings.ts';
