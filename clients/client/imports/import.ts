import type { components } from '../../types/schema.ts';
import { type Caller, expectedOf } from '../caller.ts';
import { TimeLimit } from '../calls/time-limit.ts';
import type { Answer } from '../operation-types.ts';
import { type Failure, failed, type Result, type Success } from '../result.ts';
import type { CallOptions } from '../settings.ts';
import { IllFormedLine, type LineSource, LineTooLong, type Part, partsOf } from './parts.ts';

type ImportOperationId = 'importSessions' | 'importSubscriptions';
export type RejectedLine = components['schemas']['RejectedLine'];

export interface ImportInput {
  /** Needed where the credential has several municipalities, inactive ones included. */
  readonly municipality_code?: string;
  /** Every line is judged and counted, and none is stored. */
  readonly dry_run?: boolean;
}

/** `budgetMs` is for each part, further tries included. */
export interface ImportOptions extends CallOptions {
  /** Called after each part. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Bytes of a part: 4 MiB by default, and at most the service's 8 MiB. */
  readonly maxPartBytes?: number;
  /** Lines of a part. The service lists the first 1,000 rejected lines of each part: with 1,000 here, it lists all of them. */
  readonly maxPartLines?: number;
  /** Whether to wait, within the part's time, when the budget is spent. Without it, an import ends there as `limited`. */
  readonly waitWhenLimited?: boolean;
}

/** Sums over the parts that were answered. */
export interface ImportTotals {
  readonly parts: number;
  readonly bytes: number;
  /** Lines of the source, blank ones too. */
  readonly lines: number;
  readonly received: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  /** Of the unchanged lines, those of which an erased plate was left out. */
  readonly erased: number;
  /**
   * Rejected lines, numbered as in the whole source: the first 1,000 of each part, and 1,000 in all. `onProgress` gets those of
   * each part, however many parts there are.
   */
  readonly errors: readonly RejectedLine[];
  /** How many rejected lines are not among them. */
  readonly errorsLeftOut: number;
}

/** A part that was answered, and the sums up to it. */
export interface ImportProgress {
  readonly totals: ImportTotals;
  readonly requestId: string | null;
  /** Rejected lines of this part, numbered as in the whole source. */
  readonly errors: readonly RejectedLine[];
}

/**
 * The end of an import. A failed import has stored the parts before, and perhaps lines of the part that
 * failed: send the same source again to complete it, from `nextLine` on or from the beginning.
 */
export type ImportResult =
  | Success<ImportTotals>
  | (Failure & { readonly soFar: ImportTotals; readonly nextLine: number });

const MAX_BYTES = 8 * 1_024 * 1_024;
const DEFAULT_BYTES = MAX_BYTES / 2;
/** The service's own limit for a file, and some seconds for the network. */
const PART_BUDGET_MS = 310_000;

/** Keeps the result of a long import of bad lines small. */
const MAX_ERRORS = 1_000;

const NOTHING: ImportTotals = {
  ...{ parts: 0, bytes: 0, lines: 0, received: 0, created: 0, updated: 0, unchanged: 0 },
  ...{ rejected: 0, erased: 0, errors: [], errorsLeftOut: 0 },
};

/** Sends a source part after part. A part is retried while its time lasts: a stored line changes nothing. */
export async function importLines(
  caller: Caller,
  id: ImportOperationId,
  source: LineSource,
  input: ImportInput & { readonly source_code?: string },
  options: ImportOptions,
): Promise<ImportResult> {
  const startedAt = performance.now();
  let totals = NOTHING;
  let requestId: string | null = null;
  const stopWith = (failure: Failure): ImportResult => ({
    ...failure,
    soFar: totals,
    nextLine: totals.lines + 1,
  });

  const limits = {
    maxBytes: Math.min(options.maxPartBytes ?? DEFAULT_BYTES, MAX_BYTES),
    maxLines: options.maxPartLines ?? Infinity,
  };
  try {
    for await (const part of partsOrEmpty(source, limits)) {
      const result = await sendPart(caller, id, part, input, options);
      if (!result.ok) return stopWith(result);
      const errors = result.answer.errors.map((error) => ({
        ...error,
        line: error.line + part.firstLine - 1,
      }));
      totals = addTotals(totals, part, result.answer, errors);
      ({ requestId } = result);
      options.onProgress?.({ totals, requestId, errors });
    }
  } catch (error) {
    const code = codeOf(error);
    return stopWith(failed('refused', code, error instanceof Error ? error.message : String(error)));
  }
  return {
    ok: true,
    answer: totals,
    requestId,
    tookMs: Math.round(performance.now() - startedAt),
  };
}

/** The failure for an error of the source, or for a line that cannot be sent. */
function codeOf(error: unknown): 'LINE_TOO_LONG' | 'ILL_FORMED_INPUT' | 'SOURCE_FAILED' {
  if (error instanceof LineTooLong) return 'LINE_TOO_LONG';
  return error instanceof IllFormedLine ? 'ILL_FORMED_INPUT' : 'SOURCE_FAILED';
}

/** A source without lines is sent too, so that it stays fresh. */
async function* partsOrEmpty(
  source: LineSource,
  limits: { maxBytes: number; maxLines: number },
): AsyncGenerator<Part, void, void> {
  let isEmpty = true;
  for await (const part of partsOf(source, limits)) {
    isEmpty = false;
    yield part;
  }
  if (isEmpty) yield { body: new Uint8Array(), firstLine: 1, lineCount: 0 };
}

/** Sends a part, and waits for the budget where the caller wants that. */
async function sendPart(
  caller: Caller,
  id: ImportOperationId,
  { body }: Part,
  input: object,
  options: ImportOptions,
): Promise<Result<Answer<ImportOperationId>>> {
  const limit = new TimeLimit(options.budgetMs ?? PART_BUDGET_MS, options.signal);
  try {
    for (;;) {
      const budgetMs = Math.max(1, limit.remainingMs());
      const lines = { expected: expectedOf<ImportOperationId>(id), body, budgetMs };
      const result = await caller.call(id, { ...input }, lines, { ...options, budgetMs });
      if (result.ok || result.failure !== 'limited' || !options.waitWhenLimited) return result;
      const pauseMs = (result.retryAfterSeconds ?? 1) * 1_000;
      if (limit.remainingMs() <= pauseMs) return result;
      await limit.wait(pauseMs);
    }
  } finally {
    limit.end();
  }
}

function addTotals(
  totals: ImportTotals,
  part: Part,
  answer: Answer<ImportOperationId>,
  errors: readonly RejectedLine[],
): ImportTotals {
  const room = MAX_ERRORS - totals.errors.length;
  const kept = room > 0 ? [...totals.errors, ...errors.slice(0, room)] : totals.errors;
  return {
    parts: totals.parts + 1,
    bytes: totals.bytes + part.body.length,
    lines: totals.lines + part.lineCount,
    received: totals.received + answer.received,
    created: totals.created + answer.created,
    updated: totals.updated + answer.updated,
    unchanged: totals.unchanged + answer.unchanged,
    rejected: totals.rejected + answer.rejected,
    erased: totals.erased + answer.erased,
    errors: kept,
    errorsLeftOut: totals.rejected + answer.rejected - kept.length,
  };
}
