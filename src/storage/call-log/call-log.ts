import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Env } from '../../env.ts';
import { insertCalls, insertWholeCall } from './call-log-table.ts';
import { type CallRecord, digestCall, digestPlates, type WholeCall } from './call-record.ts';

/** How long a row waits for others to share its write. */
const GATHER_MS = 1_000;
/** Rows per write. A row takes about 400 bytes and at most 3 KiB, so a write stays under D1's 2 MB per parameter. */
const ROWS_PER_WRITE = 500;
/** A flush that takes longer died with its request. The next call starts another. */
const FLUSH_EXPIRES_AFTER_MS = 20_000;
/** The rows that may wait while the database is away. Further calls get only their line in the structured log. */
const MAX_WAITING = 10_000;

/** The minimum time for writing a whole call's row, however long the answer took. */
const MIN_WRITE_MS = 250;
/** The minimum time for reading a body that has already arrived, even if the answer's time is over. */
const MIN_ARRIVAL_MS = 50;

/** Lets work continue after the answer. */
interface Execution {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Writes the call log. Every call gets a structured line at once. Its row is written after the answer, together with
 * the rows of other calls; the row of a call that is kept whole is written before the answer. A failure here never
 * fails an answer.
 */
export class CallLog {
  #waiting: CallRecord[] = [];
  #flushStartedAt = Number.NEGATIVE_INFINITY;
  readonly #gatherMs: number;

  constructor(gatherMs = GATHER_MS) {
    this.#gatherMs = gatherMs;
  }

  /** Records a finished call, and returns at once. */
  record(call: CallRecord, env: Env, execution: Execution): void {
    printLine(call);
    if (!hasRow(call) || this.#waiting.length >= MAX_WAITING) {
      return;
    }
    this.#waiting.push(call);
    if (call.at - this.#flushStartedAt > FLUSH_EXPIRES_AFTER_MS) {
      this.#flushStartedAt = call.at;
      execution.waitUntil(this.#flush(env));
    }
  }

  /**
   * Records a finished call with its bodies, and returns once its row is stored. If writing fails twice or takes too
   * long, the whole call goes to the structured log instead, and the answer is sent.
   *
   * @param bodies called only if the call gets a row, with the milliseconds that the bodies may still take to arrive
   * @param withinMs the rest of the answer's time
   */
  async recordWhole(
    call: CallRecord,
    bodies: (arriveWithinMs: number) => Promise<Pick<WholeCall, 'request' | 'response' | 'pastBound'>>,
    withinMs: number,
    env: Env,
    execution: Execution,
  ): Promise<void> {
    printLine(call);
    if (!hasRow(call)) {
      return;
    }
    const startedAt = performance.now();
    const whole = { ...call, ...(await bodies(Math.max(withinMs - MIN_WRITE_MS, MIN_ARRIVAL_MS))) };
    const leftMs = Math.max(withinMs - (performance.now() - startedAt), MIN_WRITE_MS);
    const written = writeWhole(env, whole, leftMs / 2);
    try {
      await withTimeout(leftMs, written);
    } catch (error) {
      const lost = { ...lineOf(whole), request: whole.request, response: whole.response };
      logEvent('error', 'call_log_lost', { ...lost, message: errorMessage(error) });
      // A write that is only late may still succeed.
      execution.waitUntil(written.catch(() => {}));
    }
  }

  async #flush(env: Env): Promise<void> {
    await scheduler.wait(this.#gatherMs);
    // From here on, a recorded call starts its own flush.
    this.#flushStartedAt = Number.NEGATIVE_INFINITY;
    const calls = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < calls.length; from += ROWS_PER_WRITE) {
      await this.#write(env, calls.slice(from, from + ROWS_PER_WRITE));
    }
  }

  /** Tries twice. Writing a row again changes nothing. */
  async #write(env: Env, calls: readonly CallRecord[]): Promise<void> {
    try {
      const rows = await Promise.all(calls.map((call) => digestCall(call, env)));
      const plates = (await Promise.all(calls.map((call) => digestPlates(call, env)))).flat();
      await insertCalls(env.DB, rows, plates).catch(() => insertCalls(env.DB, rows, plates));
    } catch (error) {
      const ids = calls.map(({ requestId }) => requestId);
      logEvent('error', 'call_log_lost', { request_ids: ids, message: errorMessage(error) });
    }
  }
}

/** Tries again after a failure, or once the first try has taken half of the time. */
async function writeWhole(env: Env, call: WholeCall, retryAfterMs: number): Promise<void> {
  const row = await digestCall(call, env);
  const first = insertWholeCall(env.DB, row);
  try {
    await withTimeout(retryAfterMs, first);
  } catch {
    await Promise.any([first, insertWholeCall(env.DB, row)]);
  }
}

/**
 * Whether a call gets a row. Only a line is printed for calls that could flood the table (401, 403 and 429 before the call is
 * admitted, 404 for a path, 405), and for operations that are not logged.
 */
function hasRow({ operation, outcome, isLineOnly }: CallRecord): boolean {
  const lineOnly = ['TOKEN_MISSING', 'TOKEN_INVALID', 'METHOD_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED'];
  return operation !== null && !isLineOnly && !lineOnly.includes(outcome);
}

function printLine(call: CallRecord): void {
  logEvent('log', 'call', lineOf(call));
}

function lineOf(call: CallRecord): Record<string, unknown> {
  return {
    request_id: call.requestId,
    at: new Date(call.at).toISOString(),
    operation: call.operation,
    credential_id: call.credentialId,
    tenant: call.tenant,
    municipality_code: call.municipalityCode,
    address: call.address,
    http_status: call.httpStatus,
    outcome: call.outcome,
    duration_ms: call.durationMs,
    action: call.action,
    target: call.target,
  };
}
