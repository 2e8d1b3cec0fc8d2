import type { AppContext } from '../http/context.ts';
import { inTime } from './call.ts';
import { receiveFile, requireSize } from './file-body.ts';
import { type ImportPlaces, Place } from './place.ts';
import type { Pace } from './run-import.ts';

/**
 * Receives the file of an import, and does the import's work once it is the only one of this isolate: its file may be
 * 8 MiB, and gates wait for the same thread.
 *
 * @throws Refusal `PAYLOAD_TOO_LARGE`, or `INVALID_JSON` for a body that breaks off or is no UTF-8; nothing has been
 *   done then
 */
export async function inTurn<T>(
  c: AppContext,
  places: ImportPlaces,
  work: (file: Uint8Array, pace: Pace) => Promise<T>,
): Promise<T> {
  requireSize(c);
  const arriving = new Place(places.bodies, c.var.deadline);
  const storing = new Place(places.storing, c.var.deadline);
  try {
    await arriving.hold();
    const file = await receiveFile(c, arriving);
    // A file that waits is in memory still.
    await storing.hold(() => arriving.use());
    arriving.leave();
    return await work(file, paceOf(c, storing));
  } finally {
    arriving.leave();
    storing.leave();
  }
}

function paceOf(c: AppContext, storing: Place): Pace {
  return {
    nextTurn: async () => {
      await scheduler.wait(0);
      await storing.hold();
    },
    inTime: async (batch) => {
      await storing.hold();
      return inTime(c, batch());
    },
  };
}
