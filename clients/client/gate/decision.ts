import type { AccessReasonCode } from '../../../src/domain/facility-access.ts';
import type { UnknownCode } from './conclude.ts';

/** What the barrier is to do. */
export type Action = 'open' | 'stay_shut' | 'ask_attendant';

/** What is known of every decision, whatever it rests on. */
export interface DecisionContext {
  /**
   * The id of the call that was made for this decision; of a failed one too, for the service's operator. Null where none
   * was made or none was answered.
   */
  readonly requestId: string | null;
  /** The instant that the held list is true for; null where no list is held. */
  readonly listAsOf: string | null;
  readonly tookMs: number;
}

/**
 * What the gate does, and why: an answer of the service, the list (which can only grant), or the car
 * park's own policy, since nobody knows.
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
