import { refuse } from '../../base/errors/refusal.ts';
import type { Deadline } from '../../base/platform/deadline.ts';
import { type Sender, Slot, TenantTurns, WaitingLine } from '../../base/platform/turns.ts';
import { announcedLength, IMPORT_BODY, tooLarge } from '../../serving/http/body.ts';
import { type ImportCall, limitTime } from './import-call.ts';
import type { Pace } from './run-import.ts';

/** How long a body may take to arrive, in milliseconds. */
const ARRIVAL_MS = 60_000;
/** From its first byte on, this many bytes must arrive in each stretch of this length, or the body must end. */
const STRETCH_MS = 10_000;
const BYTES_PER_STRETCH = 64 * 1024;

/**
 * Whether a body arrives fast enough. Otherwise a slow sender could hold a slot for as long as it likes. Instants are of a
 * clock that never goes back.
 */
export class Arrival {
  readonly #endsAtMs: number;
  /** Null before the first byte. */
  #stretchEndsAtMs: number | null = null;
  #bytesOfStretch = 0;
  #fellBehind = false;

  /** @param nowMs when reading the body begins */
  constructor(nowMs: number) {
    this.#endsAtMs = nowMs + ARRIVAL_MS;
  }

  /** Notes that bytes have arrived. */
  add(bytes: number, nowMs: number): void {
    this.#pass(nowMs);
    if (bytes > 0) {
      this.#stretchEndsAtMs ??= nowMs + STRETCH_MS;
      this.#bytesOfStretch += bytes;
    }
  }

  /** How long the next bytes may take; 0 once the body is too late. */
  leftMs(nowMs: number): number {
    this.#pass(nowMs);
    const stretchEndsAtMs = this.#stretchEndsAtMs ?? Number.POSITIVE_INFINITY;
    const isEnough = this.#bytesOfStretch >= BYTES_PER_STRETCH;
    const endsAtMs = Math.min(this.#endsAtMs, stretchEndsAtMs + (isEnough ? STRETCH_MS : 0));
    return this.#fellBehind ? 0 : Math.max(0, endsAtMs - nowMs);
  }

  /** Ends the stretches that are over. */
  #pass(nowMs: number): void {
    while (this.#stretchEndsAtMs !== null && nowMs >= this.#stretchEndsAtMs) {
      this.#fellBehind ||= this.#bytesOfStretch < BYTES_PER_STRETCH;
      this.#bytesOfStretch = 0;
      this.#stretchEndsAtMs += STRETCH_MS;
    }
  }
}

/** How often a call whose body pauses shows that it is still there. */
const SHOWN_EVERY_MS = 1_000;
const FIRST_CAPACITY = 64 * 1024;

/**
 * Reads the whole body of an import, which is UTF-8.
 *
 * @param slot marked as in use while the body arrives
 * @throws Refusal `PAYLOAD_TOO_LARGE` as soon as it is too long; `REQUEST_TIMEOUT` if it arrives too slowly; `INVALID_JSON`
 *   if it breaks off, or is not UTF-8
 */
async function receiveFile(source: Request, deadline: Deadline, slot: Slot): Promise<Uint8Array> {
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

/** The value of a promise; null if it takes longer. */
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

/** Joins the parts of a file as they arrive. Copies them: a part of one byte may be in a buffer of thousands. */
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

  /** Decodes part by part, so that no turn decodes everything. A body that is also too large is refused for its size. */
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

/** A slot that is not used for this long goes to the next call: its holder may be gone. */
const IDLE_MS = 10_000;
/** Bodies of 8 MiB that may be in memory along with the import being stored. */
const MAX_BODIES = 4;
const MAX_BODIES_OF_TENANT = 2;

/**
 * Whether a body may arrive along with others: one of a credential, two of a tenant, and the last free slot is for a
 * tenant that has none, so that one tenant's slow uploads cannot block the others.
 */
export function mayArrive({ credentialId, tenantId }: Sender, arriving: readonly Sender[]): boolean {
  const ofTenant = arriving.filter((other) => other.tenantId === tenantId).length;
  const isLastSlot = arriving.length === MAX_BODIES - 1;
  return (
    arriving.length < MAX_BODIES &&
    arriving.every((other) => other.credentialId !== credentialId) &&
    ofTenant < MAX_BODIES_OF_TENANT &&
    !(isLastSlot && ofTenant > 0)
  );
}

/** The slots of one isolate, which has 128 MB: bodies arrive side by side, and one import is parsed and stored. */
class ImportSlots {
  readonly bodies = new WaitingLine<Slot>(
    (slot, holders) =>
      mayArrive(
        slot.sender,
        holders.map(({ sender }) => sender),
      ),
    IDLE_MS,
  );
  readonly storing = new WaitingLine<Slot>((_, holders) => holders.length === 0, IDLE_MS);
}

/** How long a body may wait for a slot. */
const MAX_WAITING_MS = 60_000;

/**
 * Receives the file of an import, and does the import's work once no other import works in this isolate: its file may have
 * 8 MiB, and gates wait for the same thread.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`, or `INVALID_JSON` for a body that breaks off or is not UTF-8;
 *   nothing has been done then
 */
export async function runInTurn<T>(
  call: ImportCall,
  work: (file: Uint8Array, pace: Pace) => Promise<T>,
): Promise<T> {
  const { source } = call.request;
  const { isolate, deadline } = call.context;
  // Before it waits for a slot.
  if (announcedLength(source) > IMPORT_BODY) {
    throw tooLarge(IMPORT_BODY);
  }
  const slots = isolate.get(ImportSlots);
  const arriving = new Slot(slots.bodies, call.context.grant, deadline);
  const storing = new Slot(slots.storing, call.context.grant, deadline);
  try {
    // A waiting body is not read, so its time has not begun.
    await arriving.hold(undefined, MAX_WAITING_MS);
    const file = await receiveFile(source, deadline, arriving);
    // A waiting file is still in memory.
    await storing.hold(() => arriving.use());
    arriving.leave();
    return await work(file, paceOf(call, storing));
  } finally {
    arriving.leave();
    storing.leave();
  }
}

function paceOf(call: ImportCall, storing: Slot): Pace {
  return {
    nextTurn: async () => {
      await scheduler.wait(0);
      await storing.hold();
    },
    inTime: async (batch) => {
      await storing.hold();
      const { isolate, grant, deadline } = call.context;
      const store = () => limitTime(call, batch());
      return isolate.get(TenantTurns).take(grant, deadline, store, () => storing.use());
    },
  };
}
