/** A part of a backup that somebody sends. */
export interface SentPart {
  /** The backup's. */
  readonly id: string;
  /** From 1. */
  readonly number: number;
  /** What it goes on after; null for the first. */
  readonly after: string | null;
  readonly digest: string;
}

/** What a restore has taken so far. */
export interface TakenParts {
  readonly id: string;
  readonly parts: number;
  /** What the next part goes on after. */
  readonly after: string | null;
  readonly isWhole: boolean;
  /** Of the next part, where some of it is stored already. */
  readonly part: { readonly digest: string } | null;
}

export type PartOrder =
  | 'take'
  /** It has been taken, and there are more to come. */
  | 'taken'
  /** All have been taken. */
  | 'whole'
  | 'not_begun'
  | 'other_backup'
  | 'not_next'
  /** Some of the next part is stored, and this is not the same one. */
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
