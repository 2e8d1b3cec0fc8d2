import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { FULL_BYTES } from '../../domain/import-bounds.ts';
import type { Env } from '../../env.ts';
import { insertCalls } from './call-log-table.ts';
import { type CallRecord, rowsOf } from './call-record.ts';
import type { OperationName } from './operation-names.ts';

/** How long a row waits for others to share its write. */
const GATHER_MS = 1_000;
/** Rows per write. A row takes about 400 bytes, so a write stays under D1's 2 MB per parameter. */
const ROWS_PER_WRITE = 500;
/** A flush that takes longer died with its request. The next call starts another. */
const FLUSH_EXPIRES_AFTER_MS = 20_000;
/** The rows that may wait while the database is unreachable. Further calls get only their line in the structured log. */
const MAX_WAITING = 10_000;
/** The time limit of each try to write the row of a call that is kept whole: its answer waits for it. */
const WHOLE_TRY_MS = 250;

/** What is still logged once the database is full. */
const ALWAYS: ReadonlySet<OperationName | null> = new Set([
  'subscription_options',
  'subscription_payment',
  'admin',
]);

/** Writes the call log's rows: of an isolate's calls several at once, after their answers. A failure fails no answer. */
export class CallLog {
  #waiting: CallRecord[] = [];
  #flushStartedAt = Number.NEGATIVE_INFINITY;
  readonly #gatherMs: number;
  /** The size of the database, as the last write has found it. */
  #databaseBytes = 0;

  constructor(gatherMs = GATHER_MS) {
    this.#gatherMs = gatherMs;
  }

  /** Takes a finished call, and returns at once. */
  add(call: CallRecord, env: Env, execution: Pick<ExecutionContext, 'waitUntil'>): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(call);
    if (call.at - this.#flushStartedAt > FLUSH_EXPIRES_AFTER_MS) {
      this.#flushStartedAt = call.at;
      execution.waitUntil(this.#flush(env));
    }
  }

  async #flush(env: Env): Promise<void> {
    await scheduler.wait(this.#gatherMs);
    // From here on, a finished call starts its own flush.
    this.#flushStartedAt = Number.NEGATIVE_INFINITY;
    const calls = this.#waiting;
    this.#waiting = [];
    for (let from = 0; from < calls.length; from += ROWS_PER_WRITE) {
      await this.#write(env, calls.slice(from, from + ROWS_PER_WRITE), FLUSH_EXPIRES_AFTER_MS / 2).catch(
        (error: unknown) =>
          logEvent('error', 'call_log_lost', {
            request_ids: calls.slice(from, from + ROWS_PER_WRITE).map(({ requestId }) => requestId),
            message: errorMessage(error),
          }),
      );
    }
  }

  /** Writes the row of a call that is kept whole, before its answer. Where that fails, the whole call is in the structured log. */
  async writeWhole(call: CallRecord, env: Env): Promise<void> {
    try {
      await this.#write(env, [call], WHOLE_TRY_MS);
    } catch (error) {
      const lost = { ...lineOf(call), request: call.request, response: call.response };
      logEvent('error', 'call_log_lost', { ...lost, message: errorMessage(error) });
    }
  }

  /** Tries twice. Writing a row again changes nothing. */
  async #write(env: Env, given: readonly CallRecord[], tryMs: number): Promise<void> {
    const isFull = this.#databaseBytes > FULL_BYTES;
    const calls = isFull ? given.filter(({ operation }) => ALWAYS.has(operation)) : given;
    if (calls.length === 0) return;
    const rows = calls.map((call) => rowsOf(call, env));
    const insert = () => withTimeout(tryMs, insertCalls(env.DB, rows));
    this.#databaseBytes = await insert().catch(insert);
  }
}

/** Prints the structured line that every call gets. */
export const printLine = (call: CallRecord): void => logEvent('log', 'call', lineOf(call));

const lineOf = (call: CallRecord): Record<string, unknown> => ({
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
});
