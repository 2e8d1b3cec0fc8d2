import { type SQL, sql } from 'drizzle-orm';

/** Why a guard rolls back its transaction. */
const REASONS = [
  /** Another call works on the restore. */
  'other_turn',
  /** A plate was erased after the batch was read. */
  'erased_meanwhile',
  /** Other imports used up the tenant's daily changes after the batch was read. */
  'no_room',
  /** A row changed after the batch was judged. */
  'changed_meanwhile',
  /** With the batch, a plate may have more stored than is allowed. */
  'near_bound',
] as const;
export type GuardReason = (typeof REASONS)[number];

const MARK = 'guard:';

/**
 * An expression that fails when it is evaluated, and so rolls back the transaction. SQLite allows `raise` only in triggers. But
 * its error quotes an invalid JSON path, so {@link guardReason} finds the reason in the message.
 */
export const undo = (reason: GuardReason): SQL => sql.raw(`json_extract('{}', '${MARK}${reason}')`);

/** What the database said, also where the failure wraps it. */
export const textOfError = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : '';

/** Which guard rolled back a transaction. Null if it failed for another reason. */
export function guardReason(error: unknown): GuardReason | null {
  const text = textOfError(error);
  return REASONS.find((reason) => text.includes(`${MARK}${reason}`)) ?? null;
}
