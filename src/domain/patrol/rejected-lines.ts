/** The most rejected lines of one sender in a day whose plates are remembered: of a source, or of a municipality's subscriptions. */
export const MAX_REMEMBERED_LINES = 10_000;
/** And the most plates of these lines: a line of a subscription may name hundreds. */
export const MAX_REMEMBERED_PLATES = 50_000;
/** More lines in which no plate can be read mean that a sender's format is wrong: any plate may have been in them. */
const MAX_UNREADABLE_LINES = 100;

/** The rejected lines of one sender in a day that no plate can be told by. */
export interface UntoldLines {
  /** They named a plate that is not remembered. */
  readonly unremembered: number;
  /** No plate could be read in them. */
  readonly unreadable: number;
}

/** Whether a rejected line may have named any plate of the municipality. */
export const doubtsEveryPlate = (senders: readonly UntoldLines[]): boolean =>
  senders.some(({ unremembered, unreadable }) => unremembered > 0 || unreadable > MAX_UNREADABLE_LINES);
