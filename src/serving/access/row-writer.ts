import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { readRowFacts, writeCredentialRow } from './credential-row-table.ts';
import type { HeldCredential } from './held-credential.ts';
import { reconcileRow, versionOf } from './stored-credential.ts';

/**
 * The Worker has the row written right after a change; the alarm is for when that fails. Doubled after every failure.
 */
const FIRST_TRY_AFTER_MS = 10 * SECOND_MS;
const MAX_RETRY_MS = 300 * SECOND_MS;
/** If the database takes longer, the row is written later. */
const WRITE_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Writes a credential's record from its object to its row in the database, at once or by the object's alarm.
 */
export class RowWriter {
  readonly #storage: DurableObjectStorage;
  readonly #held: HeldCredential;

  constructor(storage: DurableObjectStorage, held: HeldCredential) {
    this.#storage = storage;
    this.#held = held;
  }

  /** Sets the alarm. To be called before a change is stored, so that no stored change is left without an alarm. */
  async setAlarm(now: Instant, failures = 0): Promise<void> {
    await this.#storage.setAlarm(now + Math.min(MAX_RETRY_MS, FIRST_TRY_AFTER_MS * 2 ** failures));
  }

  /**
   * Writes the row. Calls are still decided meanwhile. If the credential changes, the row stays marked as behind.
   *
   * @throws Error when the database cannot be reached in time, or rejects the row
   */
  async write(db: D1Database): Promise<void> {
    await withTimeout(WRITE_TIMEOUT_MS, this.#write(db));
  }

  async #write(db: D1Database): Promise<void> {
    const before = this.#held.stored;
    if (before === undefined) {
      return;
    }
    const facts = await readRowFacts(db, before.record.credential);
    if (this.#version !== versionOf(before)) {
      // The credential has changed: the facts are out of date.
      return this.#write(db);
    }
    const reconciled = reconcileRow(before, facts);
    this.#held.put(reconciled);
    await writeCredentialRow(db, reconciled);
    if (this.#version === versionOf(reconciled)) {
      this.#held.noteRowWritten();
      await this.#storage.deleteAlarm();
    }
  }

  get #version(): number | undefined {
    return this.#held.record?.credential.version;
  }

  /**
   * Tries to write the row. A failure is logged, and the alarm tries again, after a longer time each time.
   *
   * @returns whether the row was written
   */
  async tryToWrite(db: D1Database, now: () => Instant): Promise<boolean> {
    const failures = this.#held.rowBehind ?? 0;
    // Marked, and the alarm set, before the attempt: an eviction during it loses nothing.
    this.#held.noteRowBehind(failures);
    await this.setAlarm(now(), failures);
    try {
      await this.write(db);
      return true;
    } catch (error) {
      logEvent('error', 'credential_row_behind', {
        credential_id: this.#held.record?.credential.credentialId,
        failures: failures + 1,
        message: errorMessage(error),
      });
      this.#held.noteRowBehind(failures + 1);
      await this.setAlarm(now(), failures + 1);
      return false;
    }
  }
}
