import { Refusal } from '../errors/refusal.ts';
import { announcedLength, IMPORT_BODY, tooLarge } from '../http/body.ts';
import { type Deadline, TimeoutError, withTimeout } from '../platform/deadline.ts';
import { IDLE_MS, type Place } from './place.ts';

/** What a body may take to arrive. */
const ARRIVAL_MS = 60_000;
const FIRST_CAPACITY = 64 * 1024;

/** Refuses a file that announces more than an import takes: it need not wait to be told. */
export function requireSize(source: Request): void {
  if (announcedLength(source) > IMPORT_BODY) {
    throw tooLarge(IMPORT_BODY);
  }
}

/**
 * The whole body of an import, which is UTF-8.
 *
 * @param place used with each part that arrives
 * @throws Refusal `PAYLOAD_TOO_LARGE` as soon as it is longer than an import takes; `INVALID_JSON` where it breaks off,
 *   or is no UTF-8
 * @throws TimeoutError when it takes more than 60 s, or nothing of it comes for 10 s
 */
export async function receiveFile(source: Request, deadline: Deadline, place: Place): Promise<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = source.body?.getReader();
  if (reader === undefined) {
    return new Uint8Array();
  }
  const file = new GrowingFile();
  const endsAtMs = performance.now() + ARRIVAL_MS;
  try {
    for (;;) {
      const leftMs = endsAtMs - performance.now();
      if (leftMs <= 0) {
        throw new TimeoutError(`the body has not arrived within ${ARRIVAL_MS} ms`);
      }
      const part = reader.read().catch(brokenOff);
      const { done, value } = await deadline.race(withTimeout(Math.min(IDLE_MS, leftMs), part));
      if (done) {
        return file.whole();
      }
      place.use();
      file.add(value);
    }
  } finally {
    // What has not been read is not wanted any more; whether its sender hears of it does not matter.
    reader.cancel().catch(() => {});
  }
}

/** A body that does not come to its end is the client's failure, and no reason to say that ours may pass. */
function brokenOff(): never {
  throw new Refusal('INVALID_JSON');
}

/**
 * The parts of a file, put together as they arrive. They are copied: a part of one byte may stand in a buffer of
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
      throw new Refusal('INVALID_JSON');
    }
    return this.#bytes.subarray(0, this.#length);
  }

  /** Part by part, so that no turn decodes all of it. A body that is too large as well is told that first. */
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
