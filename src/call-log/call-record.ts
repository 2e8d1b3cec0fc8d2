import type { Instant } from '../domain/instant.ts';

export type OperationName =
  | 'plate_check'
  | 'plate_check_v1'
  | 'subscription_options'
  | 'active_by_area'
  | 'import_sessions'
  | 'import_subscriptions'
  | 'admin';

/** What is known of a call while it runs. Each step of its way adds what it learns. */
export interface CallDescription {
  /** Null where the path is of no operation that is logged. */
  operation: OperationName | null;
  credentialId: string | null;
  /** Code. */
  tenant: string | null;
  /** Code; only one that the credential is authorised for. */
  municipalityCode: string | null;
  /** The error's code, else the gate's reason, else `OK`. */
  outcome: string;
}

/** A finished call, as the log keeps it. */
export interface CallRecord extends CallDescription {
  readonly requestId: string;
  readonly at: Instant;
  /** `CF-Connecting-IP`. */
  readonly address: string | null;
  readonly httpStatus: number;
  readonly durationMs: number;
}

export const newCallDescription = (): CallDescription => ({
  operation: null,
  credentialId: null,
  tenant: null,
  municipalityCode: null,
  outcome: 'OK',
});
