import type { CallLog } from '../call-log/call-log.ts';
import { type CallRecord, newCallDescription } from '../call-log/call-record.ts';
import { instant } from '../domain/instant.ts';
import { clientAddress } from './client-address.ts';
import type { AppMiddleware } from './context.ts';
import { preferredLanguage } from './language.ts';
import { bodiesOf } from './transcript.ts';

/** Two years. Without `includeSubDomains`: what stands under the service's name need not be ours. */
const STRICT_TRANSPORT_SECURITY = 'max-age=63072000';

/**
 * Gives every request its id, its instant and its language, puts the headers that every answer has, and hands the
 * finished call to the log: before the answer leaves, where the log is to have the whole call. An id that a client
 * sends is ignored.
 */
export function requestContext(callLog: CallLog): AppMiddleware {
  return async (c, next) => {
    const stopwatch = performance.now();
    const requestId = crypto.randomUUID();
    const now = instant(Date.now());
    const call = newCallDescription();
    c.set('requestId', requestId);
    c.set('now', now);
    c.set('language', preferredLanguage(c.req.header('Accept-Language')));
    c.set('call', call);
    c.set('headers', {
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
      'Strict-Transport-Security': STRICT_TRANSPORT_SECURITY,
    });
    await next();
    const transcript = c.get('transcript');
    const durationMs = Math.round(performance.now() - stopwatch);
    const finished: CallRecord = {
      ...call,
      requestId,
      at: now,
      address: clientAddress(c),
      httpStatus: c.res.status,
      durationMs,
    };
    if (transcript === undefined) {
      callLog.record(finished, c.env, c.executionCtx);
    } else {
      const withinMs = transcript.answerWithinMs - durationMs;
      const bodies = (arriveWithinMs: number) =>
        bodiesOf(transcript, c.req.raw, c.res.status, arriveWithinMs);
      await callLog.recordWhole(finished, bodies, withinMs, c.env, c.executionCtx);
    }
  };
}
