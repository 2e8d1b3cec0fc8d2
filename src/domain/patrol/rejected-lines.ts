/** Rejected lines per sender and day whose plates are remembered. A sender is a source, or a municipality's subscriptions. */
export const MAX_REMEMBERED_LINES = 10_000;
/** Plates remembered of those lines: a line of a subscription may name hundreds. */
export const MAX_REMEMBERED_PLATES = 50_000;
/** More lines in which no plate can be read mean that a sender's format is wrong: any plate may have been in them. */
const MAX_UNREADABLE_LINES = 100;

/** Rejected lines of one sender and day whose plates are unknown. */
export interface UnattributedLines {
  /** They named a plate that is not remembered. */
  readonly unremembered: number;
  /** No plate could be read in them. */
  readonly unreadable: number;
}

/** Whether a rejected line may have named any plate of the municipality. */
export const doubtsEveryPlate = (senders: readonly UnattributedLines[]): boolean =>
  senders.some(({ unremembered, unreadable }) => unremembered > 0 || unreadable > MAX_UNREADABLE_LINES);
