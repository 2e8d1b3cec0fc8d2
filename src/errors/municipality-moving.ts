import { isRefusedWrite } from '../db/writable.ts';
import { Refusal } from './refusal.ts';

/** Seconds. Writes are stopped for about one, and for ten at most. */
const RETRY_AFTER = '2';

/** The refusal of a write while its municipality is at the end of its move to another database. */
export const municipalityMoving = (): Refusal =>
  new Refusal('MUNICIPALITY_MOVING', { headers: { 'Retry-After': RETRY_AFTER } });

/**
 * Stores something of the municipality, in a transaction that checks whether it may.
 *
 * @throws Refusal `MUNICIPALITY_MOVING` when the municipality has gone elsewhere, or is about to
 */
export async function whereWritable<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    throw isRefusedWrite(error) ? municipalityMoving() : error;
  }
}
