import type { Env } from '../env.ts';
import { within } from '../platform/deadline.ts';
import { errorMessage } from '../platform/error-message.ts';
import { insertCalls } from './call-log-table.ts';
import type { CallBodies, CallRecord, WholeCall } from './call-record.ts';

/** How long a row waits for others to be written with it. */
const GATHER_MS = 1_000;
/**
 * Rows of one write. A row is some 400 bytes, and never more than 3 KiB: a write stays under D1's 2 MB for a parameter.
 */
const ROWS_PER_WRITE = 500;
/** A flush that has not ended by then has died with its request: the next call starts another. */
const FLUSH_DIES_AFTER_MS = 20_000;
/** Rows that may wait while the database is away: more are left to the structured log. */
const MOST_WAITING = 10_000;

/** What a whole call's row gets at least, however long its answer took to make. */
const LEAST_WRITE_MS = 250;
/** What a body that is there already may take to be read, when the answer's time is over. */
const LEAST_ARRIVAL_MS = 50;

/** What lets work go on after the answer. */
interface Execution {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * Keeps the call log: every call at once as a structured line, and its row, gathered with the rows of other calls, after
 * the answer; or before it, for a call that is kept whole. It never fails an answer.
 */
export class CallLog {
  #waiting: CallRecord[] = [];
  #flushStartedAt = Number.NEGATIVE_INFINITY;
  readonly #gatherMs: number;

  constructor(gatherMs = GATHER_MS) {
    this.#gatherMs = gatherMs;
  }

  /** Takes a finished call. Returns at once. */
  record(call: CallRecord, env: Env, execution: Execution): void {
    printLine(call);
    if (!hasRow(call) || this.#waiting.length >= MOST_WAITING) {
      return;
    }
    this.#waiting.push(call);
    if (call.at - this.#flushStartedAt > FLUSH_DIES_AFTER_MS) {
      this.#flushStartedAt = call.at;
      execution.waitUntil(this.#flush(env));
    }
  }

  /**
   * Takes a finished call that is kept whole, and returns once its row is stored. A row that fails twice, or does not
   * come about in time, fails no answer: the whole call goes to the structured log instead.
   *
   * @param bodies asked only for a call that has a row at all, with the milliseconds that they may take to arrive
   * @param withinMs what is left of the answer's time
   */
  async recordWhole(
    call: CallRecord,
    bodies: (arriveWithinMs: number) => Promise<CallBodies>,
    withinMs: number,
    env: Env,
    execution: Execution,
  ): Promise<void> {
    printLine(call);
    if (!hasRow(call)) {
      return;
    }
    const startedAt = performance.now();
    const whole = { ...call, ...(await bodies(Math.max(withinMs - LEAST_WRITE_MS, LEAST_ARRIVAL_MS))) };
    const leftMs = Math.max(withinMs - (performance.now() - startedAt), LEAST_WRITE_MS);
    const written = writeWhole(env, whole, leftMs / 2);
    try {
      await within(leftMs, written);
    } catch (error) {
      const lost = { ...lineOf(whole), request: whole.request, response: whole.response };
      console.error(JSON.stringify({ event: 'call_log_lost', ...lost, message: errorMessage(error) }));
      // One that is only late may still come.
      execution.waitUntil(written.catch(() => {}));
    }
  }

  async #flush(env: Env): Promise<void> {
    await scheduler.wait(this.#gatherMs);
    // Whatever comes from here on starts a flush of its own.
    this.#flushStartedAt = Number.NEGATIVE_INFINITY;
    const calls = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < calls.length; from += ROWS_PER_WRITE) {
      await this.#write(env, calls.slice(from, from + ROWS_PER_WRITE));
    }
  }

  /** Tried twice: a row written twice is one row. */
  async #write(env: Env, calls: readonly CallRecord[]): Promise<void> {
    try {
      await insertCalls(env.DB, calls).catch(() => insertCalls(env.DB, calls));
    } catch (error) {
      const ids = calls.map(({ requestId }) => requestId);
      console.error(
        JSON.stringify({ event: 'call_log_lost', request_ids: ids, message: errorMessage(error) }),
      );
    }
  }
}

/** Tried twice: again at once after a failure, and when the first try has not ended in time. */
async function writeWhole(env: Env, call: WholeCall, patienceMs: number): Promise<void> {
  const first = insertCalls(env.DB, [call]);
  try {
    await within(patienceMs, first);
  } catch {
    await Promise.any([first, insertCalls(env.DB, [call])]);
  }
}

/**
 * What strangers could flood the table with (401 missing or invalid, 404 for a path, 405) and what a caller over its
 * budget repeats (429, refusals past the limit) has its line alone; so have operations that are not logged.
 */
function hasRow({ operation, outcome, isLineOnly }: CallRecord): boolean {
  const lineOnly = ['TOKEN_MISSING', 'TOKEN_INVALID', 'METHOD_NOT_ALLOWED', 'RATE_LIMIT_EXCEEDED'];
  return operation !== null && !isLineOnly && !lineOnly.includes(outcome);
}

function printLine(call: CallRecord): void {
  console.log(JSON.stringify({ event: 'call', ...lineOf(call) }));
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
