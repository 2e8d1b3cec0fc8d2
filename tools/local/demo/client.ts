import type { Failure } from '../../../clients/client/index.ts';

/**
 * The answer of a call that has to succeed.
 *
 * @throws Error with the failure
 */
export async function answerOf<Answer>(
  call: Promise<{ readonly ok: true; readonly answer: Answer } | Failure>,
): Promise<Answer> {
  const result = await call;
  if (result.ok) return result.answer;
  throw new Error(`The demonstration could not be loaded: ${JSON.stringify(result)}`);
}
