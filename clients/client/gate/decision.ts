import type { AccessReasonCode } from '../../../src/domain/facility-access.ts';
import type { UnknownCode } from './conclude.ts';

/** What the barrier does. */
export type Action = 'open' | 'stay_shut' | 'ask_attendant';

/** The fields of every decision, whatever its basis. */
export interface DecisionContext {
  /**
   * The id of the call for this decision, even if it failed, for the service's operator. Null without a call
   * or an answer.
   */
  readonly requestId: string | null;
  /** The instant that the list is true for; null without a list. */
  readonly listAsOf: string | null;
  readonly tookMs: number;
}

/**
 * What the gate does, and why: an answer of the service, the list (which can only grant), or the car park's
 * own policy for unknown cars.
 */
export type Decision = DecisionContext &
  (
    | {
        readonly action: 'open' | 'stay_shut';
        readonly basis: 'service';
        readonly reasonCode: AccessReasonCode;
      }
    | { readonly action: 'open'; readonly basis: 'list'; readonly reasonCode: AccessReasonCode }
    | { readonly action: Action; readonly basis: 'policy'; readonly reasonCode: UnknownCode }
  );
