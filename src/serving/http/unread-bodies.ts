import { WaitingLine } from '../../base/platform/turns.ts';
import { announcedLength } from './body.ts';

const KIB = 1024;
/** The longest body that is drained. Of a longer one the connection may be closed. */
const MAX_BYTES = 32 * 1024 * KIB;
/** How long a client may pause, and how long its body may take in all, in milliseconds. */
const MAX_PAUSE_MS = 1_000;
const MAX_MS = 60_000;
/** Drains at once in an isolate, each with a buffer of this many bytes: strangers can start as many as they like. */
const MAX_AT_ONCE = 64;
const BUFFER = 64 * KIB;

/** A drain, by the stopwatch in milliseconds. */
interface Drain {
  readonly endsAtMs: number;
  lastBytesAtMs: number;
}

/**
 * Drains bodies that a call has not read: reads the rest and throws it away. workerd closes the connection of a client
 * that is still sending when its answer is ready, and the client sees a reset instead of the answer. Cancelling the body
 * does not help, and once the answer has left the body cannot be read any more.
 */
export class UnreadBodies {
  readonly #slots = new WaitingLine<Drain>((_, holders) => holders.length < MAX_AT_ONCE, 2 * MAX_PAUSE_MS);

  /**
   * Resolves when the body has ended or is given up: it is too long or too slow, or there are too many drains. The answer
   * may leave in either case.
   *
   * @param reading a read of the body that may still be running
   * @param startedAtMs of the call, by the stopwatch
   */
  async drain(request: Request, reading: Promise<unknown> | null, startedAtMs: number): Promise<void> {
    if (request.body === null || announcedLength(request) > MAX_BYTES) {
      return;
    }
    const nowMs = performance.now();
    // A read that is still running has used up its pause: a slow body delays no refusal for longer.
    const lastBytesAtMs = request.body.locked ? startedAtMs : nowMs;
    const drain = { endsAtMs: nowMs + MAX_MS, lastBytesAtMs };
    try {
      if (this.#slots.hasSlot(drain, nowMs)) {
        await this.#whileBytesCome(drain, readAway(request, reading, drain));
      }
    } catch {
      // The client broke its body off.
    } finally {
      this.#slots.leave(drain);
    }
  }

  async #whileBytesCome(drain: Drain, work: Promise<void>): Promise<void> {
    const over = Promise.withResolvers<void>();
    let stop = () => {};
    const check = () => {
      const nowMs = performance.now();
      const leftMs = Math.min(drain.endsAtMs, drain.lastBytesAtMs + MAX_PAUSE_MS) - nowMs;
      if (leftMs <= 0) {
        over.resolve();
        return;
      }
      this.#slots.hasSlot(drain, nowMs);
      const timer = setTimeout(check, leftMs);
      stop = () => clearTimeout(timer);
    };
    check();
    try {
      await Promise.race([work, over.promise]);
    } finally {
      stop();
    }
  }
}

/** One buffer for all reads takes a seventh of the CPU of a new chunk for each: half a millisecond a MiB. */
async function readAway(request: Request, reading: Promise<unknown> | null, drain: Drain): Promise<void> {
  await reading?.catch(() => {});
  const { body } = request;
  if (body === null || body.locked) {
    return;
  }
  const reader = body.getReader({ mode: 'byob' });
  let buffer = new Uint8Array(Math.min(announcedLength(request) || BUFFER, BUFFER));
  for (let bytes = 0; bytes <= MAX_BYTES; ) {
    const { done, value } = await reader.read(buffer);
    if (done) {
      return;
    }
    bytes += value.byteLength;
    drain.lastBytesAtMs = performance.now();
    buffer = new Uint8Array(value.buffer);
  }
}
