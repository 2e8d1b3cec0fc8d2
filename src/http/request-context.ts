import type { CallLog } from '../call-log/call-log.ts';
import { newCallDescription } from '../call-log/call-record.ts';
import { instant } from '../domain/instant.ts';
import type { AppMiddleware } from './context.ts';
import { preferredLanguage } from './language.ts';

/**
 * Gives every request its id, its instant and its language, puts the headers that every answer has, and hands the
 * finished call to the log. An id that a client sends is ignored.
 */
export function requestContext(callLog: CallLog): AppMiddleware {
  return async (c, next) => {
    const stopwatch = performance.now();
    c.set('requestId', crypto.randomUUID());
    c.set('now', instant(Date.now()));
    c.set('language', preferredLanguage(c.req.header('Accept-Language')));
    c.set('call', newCallDescription());
    c.header('X-Request-Id', c.var.requestId);
    c.header('Cache-Control', 'no-store, private');
    c.header('X-Content-Type-Options', 'nosniff');
    await next();
    const { requestId, now, call } = c.var;
    callLog.record(
      {
        ...call,
        requestId,
        at: now,
        address: c.req.header('CF-Connecting-IP') ?? null,
        httpStatus: c.res.status,
        durationMs: Math.round(performance.now() - stopwatch),
      },
      c.env,
      c.executionCtx,
    );
  };
}
