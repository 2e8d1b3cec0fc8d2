import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { withTimeout } from '../../base/platform/deadline.ts';
import { type CallLog, printLine } from '../../storage/call-log/call-log.ts';
import type { CallRecord } from '../../storage/call-log/call-record.ts';
import { loggedTarget, maskedText } from '../../storage/call-log/masked-text.ts';
import type { AppEnv } from '../call.ts';
import type { Contract } from '../contract.ts';
import { METER_BODY, readBody } from '../http/body.ts';

/**
 * Outermost: sees every status. Every call gets a structured line; a call that has passed its budget gets a row, written after
 * the answer, or before it where request and response are kept whole.
 */
export const callLog = (rows: CallLog) =>
  createMiddleware<AppEnv>(async (c, next) => {
    await next();
    const call: CallRecord = {
      ...c.get('log'),
      // Of a caller that was not admitted nothing is kept that it chose.
      target: c.get('log').isAdmitted ? c.get('log').target : null,
      request: null,
      response: null,
      httpStatus: c.res.status,
      durationMs: Math.round(performance.now() - c.get('startedAt')),
    };
    printLine(call);
    if (!hasRow(call)) return;
    if (c.get('whole')) {
      const answer = c.res;
      const [request, response] = await Promise.all([requestText(c), answer.text()]);
      const whole = { ...call, request: request && maskedText(request), response: maskedText(response) };
      await rows.writeWhole(whole, c.env);
      // What is answered is what was logged: a handler that the deadline has given up may fail meanwhile, and put its own answer there.
      c.res = undefined;
      c.res = new Response(response, answer);
    } else {
      rows.add(call, c.env, c.executionCtx);
    }
  });

/** Not the report's answers: thousands of widgets poll them. Not a 413: its body may be anything. */
const hasRow = ({ isAdmitted, operation, httpStatus }: CallRecord): boolean =>
  isAdmitted &&
  operation !== null &&
  httpStatus !== 413 &&
  !(operation === 'active_by_area' && httpStatus === 200);

/** How long the answer waits for a request that is still being sent, in milliseconds. */
const REQUEST_WITHIN_MS = 250;

/** The request as it was sent, whatever is wrong with it. Null for one that is too large, or was not sent in full in time. */
const requestText = (c: Context<AppEnv>): Promise<string | null> =>
  withTimeout(REQUEST_WITHIN_MS, sentText(c)).catch(() => null);

async function sentText(c: Context<AppEnv>): Promise<string> {
  if (!c.req.raw.bodyUsed) await readBody(c, METER_BODY);
  return c.req.text();
}

/** Names the operation for the call log. */
export const logged = ({ log: rule }: Contract) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const log = c.get('log');
    if (rule !== undefined) {
      log.operation = rule.operation;
      log.action = rule.action ?? null;
      const target = rule.target?.(c.req.param()) ?? null;
      log.target = target === null ? null : loggedTarget(target);
      c.set('whole', rule.whole ?? false);
    }
    await next();
  });
