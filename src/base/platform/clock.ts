import { type Instant, instant } from '../../domain/instant.ts';

/**
 * The clock, in a credential's object and where the instant of storing is needed. Everything else uses the instant of the call.
 */
export const clockNow = (): Instant => instant(Date.now());
