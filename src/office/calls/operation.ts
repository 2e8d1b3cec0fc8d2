import * as z from 'zod';
import { Refusal } from '../../base/errors/refusal.ts';
import type { Env } from '../../env.ts';
import type { Bounds } from '../../serving/access/bounds.ts';
import { operation } from '../../serving/pipeline/operation.ts';
import type { LoggedCall } from '../../storage/call-log/calls-parts.ts';
import { databasesOf } from '../../storage/databases/bindings.ts';
import { sideBySide, splitOutcomes } from '../../storage/databases/side-by-side.ts';
import { callFields, presentCall } from '../administration/logged-call.ts';
import { readCall } from './calls-table.ts';

/** Any text. A text that is not a call's id is a 404. */
const callPath = z.object({
  request_id: z.string().meta({ maxLength: 100 }).describe('The call’s `request_id`.'),
});

const callAnswer = z
  .object({ call: callFields.describe('The call.') })
  .meta({ id: 'CallResponse', description: 'A logged call. Its id is in `call`.' });

/**
 * Looks a call up in every database: it is logged where its municipality lived, and stays there when that moves.
 *
 * @returns null if no database has it, or it is not within the bounds
 * @throws Error when none of those that answer has it, and not all answer
 */
async function findCall(env: Env, requestId: string, bounds: Bounds): Promise<LoggedCall | null> {
  const { values, failures } = splitOutcomes(
    await sideBySide(databasesOf(env), ({ db }) => readCall(db, requestId)),
  );
  const found = values.find((call) => call !== null && bounds.covers(call.tenant)) ?? null;
  if (found === null && failures.length > 0) {
    throw failures[0];
  }
  return found;
}

/** Looks up a call in the call log by its `request_id`. */
export const getCall = operation({
  id: 'getCall',
  method: 'GET',
  path: '/api/v2/admin/calls/:request_id',
  access: { by: 'administrator', office: 'reads' },
  deadlineMs: 5_000,
  pathParameters: callPath,
  answer: callAnswer,
  errors: ['NOT_FOUND'],
  handle: async ({ path }, { env, deadline, bounds }) => {
    const row = await deadline.race(findCall(env, path.request_id, bounds));
    return row === null
      ? { refused: new Refusal('NOT_FOUND', { message: NO_CALL }) }
      : { answer: { call: presentCall(row) } };
  },
});

const NO_CALL = {
  en: 'The call log has no call with this request_id.',
  it: 'Il registro delle chiamate non ha una chiamata con questo request_id.',
};
