/** A part of a backup, as a caller sends it. */
export interface SentPart {
  /** The backup's. */
  readonly id: string;
  /** From 1. */
  readonly number: number;
  /** The position that it continues from; null for the first. */
  readonly after: string | null;
  readonly digest: string;
}

/** The progress of a restore. */
export interface TakenParts {
  readonly id: string;
  readonly parts: number;
  /** The position that the next part continues from. */
  readonly after: string | null;
  readonly isWhole: boolean;
  /** The next part, if it is stored in part. */
  readonly part: { readonly digest: string } | null;
}

export type PartOrder =
  | 'take'
  /** It has been taken, and more parts follow. */
  | 'taken'
  /** All have been taken. */
  | 'whole'
  | 'not_begun'
  | 'other_backup'
  | 'not_next'
  /** Another part is stored in part. */
  | 'not_the_same';

/** What to do with a part. Parts are taken in order, one at a time, and sending a taken one again changes nothing. */
export function orderOf(sent: SentPart, taken: TakenParts | null): PartOrder {
  if (taken === null) {
    return sent.number === 1 ? 'take' : 'not_begun';
  }
  if (sent.id !== taken.id) {
    return 'other_backup';
  }
  if (sent.number <= taken.parts) {
    return taken.isWhole ? 'whole' : 'taken';
  }
  if (sent.number !== taken.parts + 1 || sent.after !== taken.after) {
    return 'not_next';
  }
  return taken.part !== null && taken.part.digest !== sent.digest ? 'not_the_same' : 'take';
}
