import { type SQL, sql } from 'drizzle-orm';

/** Why a guard undoes its transaction. */
const REASONS = [
  /** The municipality does not live here, or its writes are stopped. */
  'not_writable',
  /** A later version has changed the schema. */
  'schema_outgrown',
  /** A plate was erased after the batch was read. */
  'erased_meanwhile',
  /** Other imports have used up the tenant's daily changes after the batch was read. */
  'no_room',
  /** A row is no longer the version that the batch was judged by. */
  'changed_meanwhile',
] as const;
type GuardReason = (typeof REASONS)[number];

const MARK = 'guard:';

/**
 * An expression that fails: where it is evaluated, the transaction is undone. SQLite has `raise` in triggers alone. But its
 * error quotes a JSON path that it cannot read, so {@link guardReason} finds our own code in the message.
 */
export const undo = (reason: GuardReason): SQL => sql.raw(`json_extract('{}', '${MARK}${reason}')`);

/** Which guard has undone a transaction. Null: it failed for another reason. */
export function guardReason(error: unknown): GuardReason | null {
  const text = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : '';
  return REASONS.find((reason) => text.includes(`${MARK}${reason}`)) ?? null;
}
