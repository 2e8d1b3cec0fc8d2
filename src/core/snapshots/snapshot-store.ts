import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import { type Instant, SECOND_MS } from '../../domain/instant.ts';
import type { Call } from '../../serving/call.ts';
import { HeldValues } from './held-values.ts';
import { type Snapshot, snapshotSchema } from './snapshot.ts';

const snapshotKey = (code: string): string => `snapshot:${code}`;

/** A snapshot that no run replaces is of a municipality that was switched off. */
const LIVES_SECONDS = 300;

/** The snapshot of a municipality; null if there is none that can be read and is recent. It never fails. */
export async function readSnapshot(c: Call, code: string): Promise<Snapshot | null> {
  const now = c.get('now');
  try {
    const held = c.get('isolate').get(HeldValues);
    return await held.read(
      c,
      snapshotKey(code),
      snapshotSchema,
      (snapshot) => snapshot.municipality.code === code && isRecent(snapshot, now),
    );
  } catch (error) {
    logEvent('warn', 'snapshot_unreadable', { municipality_code: code, message: errorMessage(error) });
    return null;
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
