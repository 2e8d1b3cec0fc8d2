import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { databasesOf } from '../../storage/databases/bindings.ts';
import { sideBySide, splitOutcomes } from '../../storage/databases/side-by-side.ts';
import type { CallRow } from '../administration/logged-call.ts';
import { readCall } from './calls-table.ts';

/**
 * Looks a call up in every database: it is logged where its municipality lived, and stays there when that moves.
 *
 * @returns null if no database has it, or it is not within the bounds
 * @throws Error when none of those that answer has it, and not all answer
 */
export async function findCall(env: Env, requestId: string, bounds: Bounds): Promise<CallRow | null> {
  const { values, failures } = splitOutcomes(
    await sideBySide(databasesOf(env), ({ db }) => readCall(db, requestId)),
  );
  const found = values.find((call) => call !== null && bounds.covers(call.tenant)) ?? null;
  if (found === null && failures.length > 0) {
    throw failures[0];
  }
  return found;
}
