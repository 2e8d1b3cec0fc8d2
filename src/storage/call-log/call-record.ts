import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';

export type OperationName =
  | 'plate_check'
  | 'plate_check_v1'
  | 'subscription_options'
  | 'subscription_payment'
  | 'evidence'
  | 'active_by_area'
  | 'import_sessions'
  | 'import_subscriptions'
  | 'entitlement_list'
  | 'credential'
  | 'patrol'
  | 'admin';

/** The administrator's actions that are logged: writes, and reads of much personal data. */
export type AdminAction =
  | 'configuration.put'
  | 'plate.export'
  | 'subscription.export'
  | 'plate.erase'
  | 'payment.settle'
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

interface PlateOutcome {
  readonly plate: Plate;
  readonly outcome: string;
}

/** The description of a call while it runs. Each step of the pipeline adds to it. */
export interface CallDescription {
  /** Null if the path has no operation, or the operation is not logged. */
  operation: OperationName | null;
  credentialId: string | null;
  /** The code of the credential's tenant, or of the only tenant that an administrator's write is about. */
  tenant: string | null;
  /**
   * The code of a municipality that the credential may name, or of the only one that an administrator's write is about:
   * never another.
   */
  municipalityCode: string | null;
  /** Null except in the administrator's calls. */
  action: AdminAction | null;
  /** What the action is about: a credential's id, or codes of municipalities. */
  target: string | null;
  /**
   * The plate that a plate check or a search for evidence is about, once its municipality is known. The row stores its
   * keyed digest instead; the log line has neither.
   */
  plate: Plate | null;
  /** The plates of a call about many, each with its own outcome. Stored and logged like `plate`. */
  plates: readonly PlateOutcome[];
  /** The caller's pseudonym for the officer who looked. Only in the row, never in a log line. */
  officerReference: string | null;
  /** The error code; else the result code of an options query, the reason code of a gate decision, or `OK`. */
  outcome: string;
  /** Whether it gets only a line, because its caller had too many refusals. */
  isLineOnly: boolean;
}

/** A finished call. */
export interface CallRecord extends CallDescription {
  readonly requestId: string;
  readonly at: Instant;
  /** `CF-Connecting-IP`. */
  readonly address: string | null;
  readonly httpStatus: number;
  readonly durationMs: number;
}

/** The bodies of a call, with every token masked. Null if there was none or it is not kept. */
interface CallBodies {
  readonly request: string | null;
  readonly response: string | null;
}

/** A finished call with its bodies. */
export interface WholeCall extends CallRecord, CallBodies {
  /** The bodies to keep instead once the credential has used up the day's bound for whole bodies. */
  readonly pastBound: CallBodies;
}
