import { type Instant, instant } from '../domain/instant.ts';

/**
 * Our clock, for what must know when something is stored rather than when its call began. Everything else goes by the
 * call's own instant.
 */
export const clockNow = (): Instant => instant(Date.now());
