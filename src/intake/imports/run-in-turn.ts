import { Slot } from '../../base/platform/slot.ts';
import { TenantTurns } from '../../base/platform/tenant-turns.ts';
import { receiveFile, requireSize } from './file-body.ts';
import { type ImportCall, limitTime } from './import-call.ts';
import { ImportSlots } from './import-slots.ts';
import type { Pace } from './run-import.ts';

/** How long a body may wait for a slot. */
const MAX_WAITING_MS = 60_000;

/**
 * Receives the file of an import, and does the import's work once it is the only one of this isolate: its file may be
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
  requireSize(source);
  const slots = isolate.get(ImportSlots);
  const arriving = new Slot(slots.bodies, call.context.grant, deadline);
  const storing = new Slot(slots.storing, call.context.grant, deadline);
  try {
    // A body that waits is not read: its time has not begun.
    await arriving.hold(undefined, MAX_WAITING_MS);
    const file = await receiveFile(source, deadline, arriving);
    // A file that waits is still in memory.
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
