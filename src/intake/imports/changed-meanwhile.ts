import type { GuardReason } from '../../storage/db/guards.ts';

/**
 * A batch was rolled back because rows that it depends on changed before it was stored, or because a plate may have too
 * many rows. Its lines must be judged again.
 */
export class ChangedMeanwhile extends Error {
  readonly reason: GuardReason;

  constructor(reason: GuardReason, options?: ErrorOptions) {
    super(`a batch was rolled back: ${reason}`, options);
    this.reason = reason;
  }
}
