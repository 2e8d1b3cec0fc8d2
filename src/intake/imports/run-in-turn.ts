import { refuse } from '../../base/errors/refusal.ts';
import type { Deadline } from '../../base/platform/deadline.ts';
import { type Sender, Slot, TenantTurns, WaitingLine } from '../../base/platform/turns.ts';
import { announcedLength, IMPORT_BODY, tooLarge } from '../../serving/http/body.ts';
import { type ImportCall, limitTime } from './import-call.ts';
import type { Pace } from './run-import.ts';

const FIRST_CAPACITY = 64 * 1024;

/**
 * Reads the whole body of an import, which is UTF-8.
 *
 * @param slot marked as in use while the body arrives
 * @throws Refusal `PAYLOAD_TOO_LARGE` as soon as it is too long; `INVALID_JSON` if it breaks off, or is not UTF-8
 */
async function receiveFile(source: Request, deadline: Deadline, slot: Slot): Promise<Uint8Array> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = source.body?.getReader();
  if (reader === undefined) {
    return new Uint8Array();
  }
  const file = new GrowingFile();
  try {
    for (;;) {
      slot.use();
      const { done, value } = await deadline.race(reader.read().catch(refuseBrokenBody));
      if (done) {
        return file.whole();
      }
      file.add(value);
    }
  } finally {
    reader.cancel().catch(() => {});
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
function mayArrive({ credentialId, tenantId }: Sender, arriving: readonly Sender[]): boolean {
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
 * @throws Refusal `PAYLOAD_TOO_LARGE`, or `INVALID_JSON` for a body that breaks off or is not UTF-8;
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
