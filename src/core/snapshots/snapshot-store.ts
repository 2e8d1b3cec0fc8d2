import { withTimeout } from '../../base/platform/deadline.ts';
import { KV_CACHED_SECONDS } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import { type Snapshot, snapshotSchema } from './snapshot.ts';

/*
 * What is in KV:
 *
 * | key               | value                                                          | written by                             |
 * |-------------------|----------------------------------------------------------------|----------------------------------------|
 * | `snapshot:<code>` | the snapshot of a municipality, as JSON                        | the minute's cron, a new configuration |
 * | `public`          | the directory of public municipalities: `public-directory.ts`  | the minute's cron, a new configuration |
 * | `refreshed`       | when the cron last renewed all: `lastRefresh` of `kv-notes.ts` | the minute's cron                      |
 *
 * Instants are milliseconds since the epoch. Other modules have their own keys: docs/architecture.md lists them all.
 */

const snapshotKey = (code: string): string => `snapshot:${code}`;

/** If KV takes longer, the database is read instead. */
const READ_WITHIN_MS = 1_000;
/** A snapshot that no run replaces is of a municipality that was switched off. */
const LIVES_SECONDS = 300;

/** How long an isolate answers from what it has read. Short, since a configuration has to show within 120 seconds. */
const HELD_MS = 5 * SECOND_MS;
/** A big city's snapshot takes a megabyte. */
const MAX_HELD = 50;

interface Held {
  readonly text: string;
  readonly snapshot: Snapshot;
  readonly readAt: Instant;
}

/** The snapshots that an isolate has read: KV costs more than the rest of an answer. */
export class HeldSnapshots {
  readonly #held = new Memo<string, Held>(MAX_HELD);

  /** The snapshot of a municipality, up to five seconds old; null if there is none that can be read and is recent. */
  async read(kv: KVNamespace, code: string, now: Instant): Promise<Snapshot | null> {
    const last = this.#held.get(code);
    const isHeld = last !== undefined && last.readAt <= now && now < last.readAt + HELD_MS;
    if (isHeld && isRecent(last.snapshot, now)) return last.snapshot;
    try {
      const reading = kv.get(snapshotKey(code), { type: 'text', cacheTtl: KV_CACHED_SECONDS });
      const text = await withTimeout(READ_WITHIN_MS, reading);
      if (text === null) return null;
      // Parsing a big city's takes some milliseconds, and answers are kept as long as the snapshot is the same object.
      const snapshot = text === last?.text ? last.snapshot : snapshotSchema.parse(JSON.parse(text));
      if (snapshot.municipality.code !== code || !isRecent(snapshot, now)) return null;
      this.#held.set(code, { text, snapshot, readAt: now });
      return snapshot;
    } catch (error) {
      logEvent('warn', 'snapshot_unreadable', { municipality_code: code, message: errorMessage(error) });
      return null;
    }
  }
}

/** Older snapshots are not used. */
const MAX_AGE_MS = 120 * SECOND_MS;
/** How far the clock of the machine that computed it may run ahead of the reader's. */
const CLOCK_AHEAD_MS = 5 * SECOND_MS;

/** Whether a snapshot is recent enough to answer from, by its own instant, however long KV has had it. */
const isRecent = ({ at }: Snapshot, now: Instant): boolean =>
  -CLOCK_AHEAD_MS <= now - at && now - at <= MAX_AGE_MS;

export async function writeSnapshot(kv: KVNamespace, snapshot: Snapshot): Promise<void> {
  await kv.put(snapshotKey(snapshot.municipality.code), JSON.stringify(snapshot), {
    expirationTtl: LIVES_SECONDS,
  });
}
