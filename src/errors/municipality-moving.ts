import { Refusal } from './refusal.ts';

/** Seconds. Writes are stopped for about one, and for ten at most. */
const RETRY_AFTER = '2';

/** The refusal of a write while its municipality is at the end of its way to another database. */
export const municipalityMoving = (): Refusal =>
  new Refusal('MUNICIPALITY_MOVING', { headers: { 'Retry-After': RETRY_AFTER } });
