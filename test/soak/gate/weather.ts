import type { Random } from '../../domain/random.ts';

/** What happens on the way between gate and service. */
export const TROUBLES = [
  'hangs',
  'slow',
  'breaks',
  'fails',
  'bad_gateway',
  'cut_short',
  'another_200',
  'another_cars_answer',
  'portal_page',
  'portal_redirect',
  'mixed',
  'killed',
] as const;
export type Trouble = (typeof TROUBLES)[number];

/** A while in which the way is clear, or in one trouble. */
export interface Spell {
  readonly trouble: Trouble | null;
  readonly forMs: number;
}

/** Trouble and clear ways in turn; every trouble once, in random order, before any comes again. */
export function* weather(random: Random): Generator<Spell, never, void> {
  for (;;) {
    const waiting: Trouble[] = [...TROUBLES];
    while (waiting.length > 0) {
      const [trouble] = waiting.splice(random.below(waiting.length), 1);
      yield { trouble: trouble ?? null, forMs: 400 + random.below(2_000) };
      // Now and then the next trouble comes before the gate has found back.
      yield { trouble: null, forMs: random.oneIn(4) ? random.below(800) : 2_000 + random.below(1_500) };
    }
  }
}
