import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number;
    readonly thorough: boolean;
  }
}

/** Whether this is the thorough run: every case, all rounds, a fresh seed. */
export const THOROUGH: boolean = inject('thorough');

/**
 * What this run's generated cases come from. The short run has the same one every time, the thorough run a fresh one;
 * `TEST_SEED` in the environment sets another.
 */
export const RUN_SEED: number = inject('seed');

/** The first of the two in `npm test`, the second in `npm run test:thorough`. */
export function shortOrThorough<Value>(short: Value, thorough: Value): Value {
  return THOROUGH ? thorough : short;
}

/** All cases in the thorough run; in the short one every n-th, so that `count` of them are spread over the list. */
export function someOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  if (THOROUGH || cases.length <= count) return cases;
  return Array.from(
    { length: count },
    (_, place) => cases[Math.floor((place * cases.length) / count)] as Case,
  );
}
