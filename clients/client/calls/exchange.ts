import { type Failure, failed, type Result } from '../result.ts';
import { backoffMs } from './backoff.ts';
import { type Expected, type FailedTry, JSON_TYPE, type Judgement, judge, type Received } from './judge.ts';
import { TimeLimit } from './time-limit.ts';

/** A request as it goes out. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Told after each answer of the service how far its clock is ahead of `performance.now()`, to the second. */
export type OnServiceClock = (aheadMs: number) => void;

/** How one call is made. */
interface Manner {
  readonly fetch: typeof fetch;
  readonly budgetMs: number;
  readonly signal: AbortSignal | undefined;
  /** Whether to retry a call that may have arrived. */
  readonly repeatable: boolean;
  readonly onServiceClock: OnServiceClock | undefined;
}

/**
 * Makes a call, and retries until there is an answer, a failure that a retry would not change, or no time. It
 * never throws.
 */
export async function exchange<Answer>(
  outgoing: Outgoing,
  expected: Expected<Answer>,
  manner: Manner,
): Promise<Result<Answer>> {
  const limit = new TimeLimit(manner.budgetMs, manner.signal);
  let last: Failure | undefined;
  try {
    for (let tries = 1; ; tries++) {
      const judgement = await attempt(outgoing, expected, limit, manner);
      if (judgement.kind === 'answer') {
        const { answer, requestId } = judgement;
        return { ok: true, answer, requestId, tookMs: limit.tookMs() };
      }
      // The time was up during a later try: what an earlier one was told says more than that.
      if (last && limit.signal.aborted && !manner.signal?.aborted) return last;
      last = judgement.failure;
      const pauseMs = backoffMs(tries, judgement.notBeforeMs, Math.random());
      // The remaining time must cover the pause and at least the beginning of a try.
      if (!judgement.again || !manner.repeatable || limit.remainingMs() <= pauseMs) return last;
      await limit.wait(pauseMs);
      if (limit.signal.aborted) return last;
    }
  } finally {
    limit.end();
  }
}

async function attempt<Answer>(
  outgoing: Outgoing,
  expected: Expected<Answer>,
  limit: TimeLimit,
  { fetch, onServiceClock }: Manner,
): Promise<Judgement<Answer>> {
  try {
    const response = await limit.within(send(outgoing, limit.signal, fetch));
    const receivedAt = performance.now();
    const judgement = judge(await limit.within(receive(response, expected.contentType)), expected);
    const serviceDate = Date.parse(response.headers.get('Date') ?? '');
    const isOurs = judgement.kind === 'answer' || judgement.ours;
    // Some runtimes hide the header.
    if (isOurs && !Number.isNaN(serviceDate)) onServiceClock?.(serviceDate - receivedAt);
    return judgement;
  } catch (error) {
    return broken(limit.signal.aborted ? limit.failure() : networkFailure(error), !limit.signal.aborted);
  }
}

/** Sends a request without following redirects, so that no other server gets the token. */
async function send(
  { method, url, headers, body }: Outgoing,
  signal: AbortSignal,
  fetch: Manner['fetch'],
): Promise<Response> {
  return fetch(url, { method, headers, redirect: 'manual', signal, ...(body !== undefined && { body }) });
}

/** Reads the response to judge. It skips a body of another content type: a portal's page may have no end. */
async function receive(response: Response, expectedType: string): Promise<Received> {
  const { headers, status } = response;
  const [mediaType = ''] = (headers.get('Content-Type') ?? '').toLowerCase().split(';');
  const contentType = mediaType.trim();
  const isRead = contentType === JSON_TYPE || contentType === expectedType;
  return {
    status,
    contentType,
    requestIdHeader: headers.get('X-Request-Id'),
    retryAfter: headers.get('Retry-After'),
    text: isRead ? await response.text() : await dropBody(response),
  };
}

function networkFailure(error: unknown): Failure {
  return failed('unavailable', 'NETWORK_ERROR', `The service cannot be reached: ${causeOf(error)}.`);
}

/** `fetch failed` alone says nothing: its cause does. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

function broken(failure: Failure, again: boolean): FailedTry {
  return { kind: 'failure', failure, ours: false, again, notBeforeMs: 0 };
}

async function dropBody(response: Response): Promise<null> {
  await response.body?.cancel().catch(() => {});
  return null;
}
