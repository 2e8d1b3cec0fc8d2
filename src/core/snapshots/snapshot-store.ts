import { withTimeout } from '../../base/platform/deadline.ts';
import { errorMessage } from '../../base/platform/error-message.ts';
import { KV_CACHED_SECONDS } from '../../base/platform/kv-note.ts';
import { logEvent } from '../../base/platform/log-event.ts';
import type { Instant } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import {
  findLine,
  joinLines,
  linesOf,
  onDemandKey,
  packKey,
  packSnapshot,
  unpackSnapshot,
} from './packed-format.ts';
import { isRecent, type Snapshot } from './snapshot.ts';

/** If KV takes longer, the database is read instead. */
const READ_WITHIN_MS = 1_000;
/** A snapshot that was computed on demand is needed only until the next run of every minute. */
const ON_DEMAND_LIVES_SECONDS = 300;

/** A big city's snapshot takes a megabyte. */
const MAX_UNPACKED = 50;
/** The last line that was unpacked for a key and code, since unpacking a big city's takes some milliseconds. */
const unpacked = new Memo<string, { readonly line: string; readonly snapshot: Snapshot }>(MAX_UNPACKED);

/**
 * The snapshot of a municipality that a report may answer from: the one of the last minute's run, else one that was
 * computed on demand.
 *
 * @param isUsable whether a recent snapshot may be used; if the first may not, the second is tried
 * @param onUnreadable called when KV could not be read, or holds something that cannot be unpacked
 * @returns null if there is none that can be read, is recent and may be used
 */
export async function readSnapshot(
  kv: KVNamespace,
  code: string,
  now: Instant,
  isUsable: (snapshot: Snapshot) => boolean = () => true,
  onUnreadable: () => void = () => {},
): Promise<Snapshot | null> {
  for (const key of [packKey(code), onDemandKey(code)]) {
    const snapshot = await readFrom(kv, key, code, onUnreadable);
    if (snapshot !== null && isRecent(snapshot, now) && isUsable(snapshot)) {
      return snapshot;
    }
  }
  return null;
}

/** Stores a snapshot that was computed on demand, for other isolates. */
export async function storeOnDemandSnapshot(kv: KVNamespace, snapshot: Snapshot): Promise<void> {
  await kv.put(onDemandKey(snapshot.municipality.code), joinLines([packSnapshot(snapshot)]), {
    expirationTtl: ON_DEMAND_LIVES_SECONDS,
  });
}

/** The lines of a pack without those of some municipalities; empty where no pack can be read. */
export async function readPackedLines(
  kv: KVNamespace,
  key: string,
  without: ReadonlySet<string>,
): Promise<readonly (readonly [code: string, line: string])[]> {
  const value = await kv.get(key);
  return value === null ? [] : [...linesOf(value)].filter(([code]) => !without.has(code));
}

/** Writes a whole pack. */
export async function writePack(kv: KVNamespace, key: string, lines: readonly string[]): Promise<void> {
  await kv.put(key, joinLines(lines));
}

async function readFrom(
  kv: KVNamespace,
  key: string,
  code: string,
  onUnreadable: () => void,
): Promise<Snapshot | null> {
  try {
    const value = await withTimeout(
      READ_WITHIN_MS,
      kv.get(key, { type: 'text', cacheTtl: KV_CACHED_SECONDS }),
    );
    const line = value === null ? null : findLine(value, code);
    return line === null ? null : unpackOnce(line, `${key} ${code}`);
  } catch (error) {
    logEvent('warn', 'snapshot_unreadable', { key, municipality_code: code, message: errorMessage(error) });
    onUnreadable();
    return null;
  }
}

function unpackOnce(line: string, memoKey: string): Snapshot {
  const last = unpacked.get(memoKey);
  if (last?.line === line) {
    return last.snapshot;
  }
  const snapshot = unpackSnapshot(line);
  unpacked.set(memoKey, { line, snapshot });
  return snapshot;
}
