import type { Instant } from '../domain/instant.ts';

export type OperationName =
  | 'plate_check'
  | 'plate_check_v1'
  | 'subscription_options'
  | 'active_by_area'
  | 'import_sessions'
  | 'import_subscriptions'
  | 'admin';

/** What an administrator's write does. */
export type AdminAction =
  | 'configuration.put'
  | 'credential.issue'
  | 'credential.change'
  | 'credential.revoke'
  | 'credential.rotate'
  | 'credential.reconcile';

/** What is known of a call while it runs. Each step of its way adds what it learns. */
export interface CallDescription {
  /** Null where the path is of no operation that is logged. */
  operation: OperationName | null;
  credentialId: string | null;
  /** Code: the credential's, or the only one that an administrator's write is about. */
  tenant: string | null;
  /** Code: only one that the credential is authorised for, or the only one that an administrator's write is about. */
  municipalityCode: string | null;
  /** Null for everything but an administrator's write. */
  action: AdminAction | null;
  /** What the action was done to: a credential's id, or municipalities' codes. */
  target: string | null;
  /** The error's code, else the options' result, the gate's reason, or `OK`. */
  outcome: string;
  /** Whether the structured log alone keeps it, whatever its outcome: one of too many refusals. */
  isLineOnly: boolean;
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

/** What either side of a call said, as the log may keep it: no token in it. Null where nothing came. */
export interface CallBodies {
  readonly request: string | null;
  readonly response: string | null;
}

/** A call that the log has whole. */
export interface WholeCall extends CallRecord, CallBodies {}
