import { type Instant, instant } from '../../domain/instant.ts';

/**
 * The clock: where a call or a cron begins, in a credential's object, and for the instant of storing. Everything else uses the
 * instant of the call.
 */
export const clockNow = (): Instant => instant(Date.now());
