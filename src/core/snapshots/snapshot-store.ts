import { withTimeout } from '../../base/platform/deadline.ts';
import { KV_CACHED_SECONDS } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import { isRecent, type Snapshot, snapshotSchema } from './snapshot.ts';

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

/** A big city's snapshot takes a megabyte. */
const MAX_PARSED = 50;
/** The last value that was parsed of each municipality, since parsing a big city's takes some milliseconds. */
const parsed = new Memo<string, { readonly text: string; readonly snapshot: Snapshot }>(MAX_PARSED);

/** The snapshot of a municipality; null if there is none that can be read and is recent. */
async function readSnapshot(kv: KVNamespace, code: string, now: Instant): Promise<Snapshot | null> {
  try {
    const text = await withTimeout(
      READ_WITHIN_MS,
      kv.get(snapshotKey(code), { type: 'text', cacheTtl: KV_CACHED_SECONDS }),
    );
    const snapshot = text === null ? null : parse(text, code);
    const isUsable = snapshot?.municipality.code === code && isRecent(snapshot, now);
    return isUsable ? snapshot : null;
  } catch (error) {
    logEvent('warn', 'snapshot_unreadable', { municipality_code: code, message: errorMessage(error) });
    return null;
  }
}

function parse(text: string, code: string): Snapshot {
  const last = parsed.get(code);
  if (last?.text === text) return last.snapshot;
  const snapshot = snapshotSchema.parse(JSON.parse(text));
  parsed.set(code, { text, snapshot });
  return snapshot;
}

/** How long an isolate answers from what it has read. Short, since a configuration has to show within 120 seconds. */
const HELD_MS = 5 * SECOND_MS;

/** The snapshots that an isolate has read a moment ago: KV costs more than the rest of an answer. */
export class HeldSnapshots {
  readonly #held = new Memo<string, { readonly readAt: Instant; readonly snapshot: Snapshot }>(MAX_PARSED);

  /** As {@link readSnapshot}, or as it was up to five seconds ago. */
  async read(kv: KVNamespace, code: string, now: Instant): Promise<Snapshot | null> {
    const last = this.#held.get(code);
    const isHeld = last !== undefined && last.readAt <= now && now < last.readAt + HELD_MS;
    if (isHeld && isRecent(last.snapshot, now)) return last.snapshot;
    const snapshot = await readSnapshot(kv, code, now);
    if (snapshot !== null) this.#held.set(code, { readAt: now, snapshot });
    return snapshot;
  }
}

export async function writeSnapshot(kv: KVNamespace, snapshot: Snapshot): Promise<void> {
  await kv.put(snapshotKey(snapshot.municipality.code), JSON.stringify(snapshot), {
    expirationTtl: LIVES_SECONDS,
  });
}
