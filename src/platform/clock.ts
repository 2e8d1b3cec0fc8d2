import { type Instant, instant } from '../domain/instant.ts';

/**
 * The clock, for what needs the instant of storing rather than that of the call. Everything else uses the call's instant.
 */
export const clockNow = (): Instant => instant(Date.now());
