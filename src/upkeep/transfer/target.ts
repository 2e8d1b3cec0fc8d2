import { refuseFields } from '../../base/errors/refusal.ts';
import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Text } from '../../base/text/text.ts';
import { SECOND_MS } from '../../domain/instant.ts';
import { isRefusedWrite } from '../../storage/db/writable.ts';
import type { Route } from './move-parts.ts';

/** A database that takes longer for one round trip is away. */
const TARGET_MS = 5 * SECOND_MS;

/** What SQLite says of a full disk, and D1 of a database at its limit. */
const FULL = /SQLITE_FULL|disk is full|maximum DB size/i;

/**
 * Does something in the database to which a municipality moves. If it fails, the log says which database that is.
 *
 * @throws Refusal `INVALID_REQUEST` if it is full
 */
export async function atTarget<T>({ to, code }: Route, work: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(TARGET_MS, work());
  } catch (error) {
    if (isRefusedWrite(error)) {
      throw error;
    }
    const message = errorMessage(error);
    logEvent('error', 'move_target_failed', { database: to, municipality_code: code, message });
    if (FULL.test(message)) {
      refuseFields([{ path: 'to', message: isFull(to) }]);
    }
    throw error;
  }
}

const isFull = (database: string): Text => ({
  en: `the database ${database} is full: make room in it, or call the move off`,
  it: `la base dati ${database} è piena: liberare spazio o annullare il trasferimento`,
});
