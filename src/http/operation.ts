import type { AdminAction, OperationName } from '../call-log/call-record.ts';
import type { AppContext, AppMiddleware } from './context.ts';
import { Deadline } from './deadline.ts';
import { Refusal } from './refusal.ts';

/**
 * Names the operation for the call log, and gives it the time that it may take.
 *
 * @param name null for what is not logged
 * @param milliseconds past it, everything awaited through the deadline fails, and the answer is `TEMPORARY_ERROR`
 * @param action what an administrator's write does
 */
export function operation(
  name: OperationName | null,
  milliseconds: number,
  action: AdminAction | null = null,
): AppMiddleware {
  return async (c, next) => {
    const call = c.get('call');
    call.operation = name;
    call.action = action;
    const deadline = new Deadline(milliseconds);
    c.set('deadline', deadline);
    await next();
    deadline.clear();
  };
}

/** Answers a known path asked with another method. */
export function methodNotAllowed(allow: string): (c: AppContext) => never {
  return () => {
    throw new Refusal('METHOD_NOT_ALLOWED', { headers: { Allow: allow } });
  };
}
