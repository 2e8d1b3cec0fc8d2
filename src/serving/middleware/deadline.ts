import { HTTPException } from 'hono/http-exception';
import { timeout } from 'hono/timeout';

/**
 * The time that an answer may take. Past it the call fails: `TEMPORARY_ERROR`.
 *
 * @param ms from the first step behind it
 */
export const deadline = (ms: number) =>
  timeout(ms, () => new HTTPException(500, { message: `no answer within ${ms} ms` }));
