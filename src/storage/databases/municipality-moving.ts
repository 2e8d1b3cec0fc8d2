import { refuse } from '../../base/errors/refusal.ts';
import { isRefusedWrite } from '../db/writable.ts';

/**
 * Refuses a write while its municipality's move to another database is about to end.
 *
 * @throws Refusal `MUNICIPALITY_MOVING`
 */
export function refuseMoving(): never {
  return refuse('MUNICIPALITY_MOVING');
}

/**
 * Runs a transaction that writes a municipality and that checks whether the municipality is writable.
 *
 * @throws Refusal `MUNICIPALITY_MOVING` if the municipality has moved to another database, or is about to
 */
export async function whereWritable<T>(store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (isRefusedWrite(error)) {
      refuseMoving();
    }
    throw error;
  }
}
