import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';

export type OperationName =
  | 'plate_check'
  | 'plate_check_v1'
  | 'subscription_options'
  | 'evidence'
  | 'active_by_area'
  | 'import_sessions'
  | 'import_subscriptions'
  | 'entitlement_list'
  | 'credential'
  | 'patrol'
  | 'admin';

/** What an administrator's call does that is logged: a write, or a read of much personal data. */
export type AdminAction =
  | 'configuration.put'
  | 'plate.export'
  | 'subscription.export'
  | 'plate.erase'
  | 'credential.issue'
  | 'credential.change'
  | 'credential.revoke'
  | 'credential.rotate'
  | 'credential.reconcile'
  | 'municipality.move'
  | 'municipality.call_off_move'
  | 'municipality.backup'
  | 'municipality.restore'
  | 'municipality.discard_restore';

/** What a call answered about one of its plates. */
interface PlateOutcome {
  readonly plate: Plate;
  readonly outcome: string;
}

/** What is known about a call while it runs. Each step of the pipeline adds what it finds out. */
export interface CallDescription {
  /** Null if the path belongs to no operation that is logged. */
  operation: OperationName | null;
  credentialId: string | null;
  /** Code: the credential's tenant, or the only tenant that an administrator's write is about. */
  tenant: string | null;
  /**
   * Code: only ever a municipality that the credential may name, or the only one that an administrator's write is
   * about.
   */
  municipalityCode: string | null;
  /** Null unless the call is the administrator's. */
  action: AdminAction | null;
  /** The target of the action: a credential's id, or codes of municipalities. */
  target: string | null;
  /**
   * The plate that a plate check or a search for evidence is about, once its municipality is known. The row has a keyed
   * digest in its place, and the log line has neither.
   */
  plate: Plate | null;
  /** The plates of a call about many, each with its own outcome; kept and logged like `plate`. */
  plates: readonly PlateOutcome[];
  /** The caller's name for the officer who looked. Only in the row, never in a log line. */
  officerReference: string | null;
  /** The error code; else the result code of an options query, the reason code of a gate decision, or `OK`. */
  outcome: string;
  /** Whether it gets no row, as one of too many refusals. */
  isLineOnly: boolean;
}

/** A finished call, as it is logged. */
export interface CallRecord extends CallDescription {
  readonly requestId: string;
  readonly at: Instant;
  /** `CF-Connecting-IP`. */
  readonly address: string | null;
  readonly httpStatus: number;
  readonly durationMs: number;
}

/** The bodies of a call, with every token masked. Null if there was none, or none is kept. */
interface CallBodies {
  readonly request: string | null;
  readonly response: string | null;
}

/** A finished call with its bodies. */
export interface WholeCall extends CallRecord, CallBodies {
  /** What is kept instead once the credential has used up the day's bound for whole bodies. */
  readonly pastBound: CallBodies;
}
