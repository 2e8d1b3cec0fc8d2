import { type Instant, SECOND_MS } from '../domain/instant.ts';
import { within } from '../platform/deadline.ts';
import { errorMessage } from '../platform/error-message.ts';
import { readRowFacts, writeCredentialRow } from './credential-row-table.ts';
import type { HeldCredential } from './held-credential.ts';
import { agreedWith, versionOf } from './stored-credential.ts';

/** The Worker asks for the row right after a change: the alarm is for when that has failed. Doubled at every failure. */
const FIRST_TRY_AFTER_MS = 10 * SECOND_MS;
const LONGEST_RETRY_MS = 300 * SECOND_MS;
/** A database that has not answered by then is asked again later. */
const WRITTEN_WITHIN_MS = 5 * SECOND_MS;

/** Brings a credential's row in the database to what its object holds, now or by the object's alarm. */
export class RowKeeper {
  readonly #storage: DurableObjectStorage;
  readonly #held: HeldCredential;

  constructor(storage: DurableObjectStorage, held: HeldCredential) {
    this.#storage = storage;
    this.#held = held;
  }

  /** Sets the alarm. To be called before a change is stored, so that no change is stored without one. */
  async wake(now: Instant, failures = 0): Promise<void> {
    await this.#storage.setAlarm(now + Math.min(LONGEST_RETRY_MS, FIRST_TRY_AFTER_MS * 2 ** failures));
  }

  /**
   * Writes the row. Calls are decided meanwhile, and the credential may change: then the row stays marked as behind.
   *
   * @throws Error when the database cannot be reached in time, or cannot take the row
   */
  async write(db: D1Database): Promise<void> {
    await within(WRITTEN_WITHIN_MS, this.#write(db));
  }

  async #write(db: D1Database): Promise<void> {
    const before = this.#held.stored;
    if (before === undefined) {
      return;
    }
    const facts = await readRowFacts(db, before.record.credential);
    if (this.#version !== versionOf(before)) {
      // The facts are about a credential that is no more.
      return this.#write(db);
    }
    const agreed = agreedWith(before, facts);
    this.#held.put(agreed);
    await writeCredentialRow(db, agreed);
    if (this.#version === versionOf(agreed)) {
      this.#held.noteRowWritten();
      await this.#storage.deleteAlarm();
    }
  }

  get #version(): number | undefined {
    return this.#held.record?.credential.version;
  }

  /**
   * Tries to write the row. Where that fails the failure is in the log, and the alarm stays set, later each time.
   *
   * @returns whether the row is written
   */
  async tryToWrite(db: D1Database, now: () => Instant): Promise<boolean> {
    const failures = this.#held.rowBehind ?? 0;
    // Marked and with an alarm before the attempt: an eviction in the midst of it forgets nothing.
    this.#held.noteRowBehind(failures);
    await this.wake(now(), failures);
    try {
      await this.write(db);
      return true;
    } catch (error) {
      console.error(
        JSON.stringify({
          event: 'credential_row_behind',
          credential_id: this.#held.record?.credential.credentialId,
          failures: failures + 1,
          message: errorMessage(error),
        }),
      );
      this.#held.noteRowBehind(failures + 1);
      await this.wake(now(), failures + 1);
      return false;
    }
  }
}
