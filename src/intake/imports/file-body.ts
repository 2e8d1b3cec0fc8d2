import { refuse } from '../../base/errors/refusal.ts';
import type { Deadline } from '../../base/platform/deadline.ts';
import type { Slot } from '../../base/platform/slot.ts';
import { announcedLength, IMPORT_BODY, tooLarge } from '../../serving/http/body.ts';
import { Arrival } from './arrival.ts';

/** How often a call whose body pauses shows that it is still there. */
const SHOWN_EVERY_MS = 1_000;
const FIRST_CAPACITY = 64 * 1024;

/** Refuses a file that announces more than an import takes, before it waits for a slot. */
export function requireSize(source: Request): void {
  if (announcedLength(source) > IMPORT_BODY) {
    throw tooLarge(IMPORT_BODY);
  }
}

/**
 * The whole body of an import, which is UTF-8.
 *
 * @param slot used as long as the body arrives
 * @throws Refusal `PAYLOAD_TOO_LARGE` as soon as it is longer than an import takes; `REQUEST_TIMEOUT` where it arrives too
 *   slowly; `INVALID_JSON` where it breaks off, or is not UTF-8
 */
export async function receiveFile(source: Request, deadline: Deadline, slot: Slot): Promise<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = source.body?.getReader();
  if (reader === undefined) {
    return new Uint8Array();
  }
  const file = new GrowingFile();
  const arrival = new Arrival(performance.now());
  try {
    for (;;) {
      const part = reader.read().catch(refuseBrokenBody);
      const { done, value } = await deadline.race(inTime(part, arrival, slot));
      if (done) {
        return file.whole();
      }
      file.add(value);
      arrival.add(value.byteLength, performance.now());
    }
  } finally {
    release(reader);
  }
}

/** Leaves the rest of the body to be drained, unless a read is still waiting: that body is too slow to be drained. */
function release(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  try {
    reader.releaseLock();
  } catch {
    reader.cancel().catch(() => {});
  }
}

/** @throws Refusal `REQUEST_TIMEOUT` */
async function inTime<T>(part: Promise<T>, arrival: Arrival, slot: Slot): Promise<T> {
  for (;;) {
    slot.use();
    const leftMs = arrival.leftMs(performance.now());
    if (leftMs === 0) {
      refuse('REQUEST_TIMEOUT');
    }
    const come = await waitAtMost(Math.min(SHOWN_EVERY_MS, leftMs), part);
    if (come !== null) {
      return come.value;
    }
  }
}

/** What a promise resolves to; null where it takes longer. */
async function waitAtMost<T>(
  milliseconds: number,
  promise: Promise<T>,
): Promise<{ readonly value: T } | null> {
  const over = Promise.withResolvers<null>();
  const timer = setTimeout(() => over.resolve(null), milliseconds);
  try {
    return await Promise.race([promise.then((value) => ({ value })), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A body that breaks off is the client's failure, not ours: trying again later would not help. */
function refuseBrokenBody(): never {
  refuse('INVALID_JSON');
}

/**
 * The parts of a file, put together as they arrive. They are copied: a part of one byte may be in a buffer of
 * thousands.
 */
class GrowingFile {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #isUtf8 = true;
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #length = 0;

  add(part: Uint8Array): void {
    const length = this.#length + part.byteLength;
    if (length > IMPORT_BODY) {
      throw tooLarge(IMPORT_BODY);
    }
    if (length > this.#bytes.byteLength) {
      const grown = new Uint8Array(Math.min(IMPORT_BODY, Math.max(length, 2 * this.#bytes.byteLength)));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
    this.#decode(part);
  }

  whole(): Uint8Array {
    this.#decode(null);
    if (!this.#isUtf8) {
      refuse('INVALID_JSON');
    }
    return this.#bytes.subarray(0, this.#length);
  }

  /** Part by part, so that no turn decodes all of it. A body that is also too large is refused for that first. */
  #decode(part: Uint8Array | null): void {
    if (this.#isUtf8) {
      try {
        this.#decoder.decode(part ?? undefined, { stream: part !== null });
      } catch {
        this.#isUtf8 = false;
      }
    }
  }
}
