/** A typed client of the parking entitlement service: see README.md. */

export type { components } from '../types/schema.ts';
export type { BackupInput, RestoreInput } from './backup/backup.ts';
export { type BackupHeader, type BackupPart, type BackupPartEnd, readBackupPart } from './backup/part.ts';
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
export { mayIssue, type NextStep, nextStep, type PatrolAnswer, type PatrolItem } from './patrol.ts';
export type {
  ClientCode,
  Failure,
  FailureCode,
  FailureKind,
  Issue,
  Result,
  ServiceCode,
  Success,
} from './result.ts';
export type { CallOptions, ClientSettings } from './settings.ts';
