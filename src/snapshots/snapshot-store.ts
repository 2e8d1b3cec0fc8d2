import type { Instant } from '../domain/instant.ts';
import { Memo } from '../domain/memo.ts';
import { within } from '../platform/deadline.ts';
import { errorMessage } from '../platform/error-message.ts';
import { findLine, joinLines, packKey, packSnapshot, spotKey, unpackSnapshot } from './packed-format.ts';
import { isRecent, type Snapshot } from './snapshot.ts';

/** The least that KV takes: how long a place may go on reading a value that has been replaced. */
const CACHED_SECONDS = 30;
/** Past this the database is asked instead. */
const READ_WITHIN_MS = 1_000;
/** A snapshot of the spot is of no use for longer than the minute's run is away. */
const SPOT_LIVES_SECONDS = 300;

/** A big city's snapshot takes a megabyte. */
const MOST_UNPACKED = 50;
/** What was unpacked last of a municipality, by key and code. A big city's takes some milliseconds. */
const unpacked = new Memo<string, { readonly line: string; readonly snapshot: Snapshot }>(MOST_UNPACKED);

/**
 * The snapshot of a municipality that a report may answer from: the minute's, else one that a report has left.
 *
 * @param serves whether a recent one will do; where the minute's will not, the other is looked at
 * @param onUnreadable is told that the store could not be asked, or has something that cannot be read
 * @returns null where there is none, or none that can be read, is recent, and will do
 */
export async function readSnapshot(
  kv: KVNamespace,
  code: string,
  now: Instant,
  serves: (snapshot: Snapshot) => boolean = () => true,
  onUnreadable: () => void = () => {},
): Promise<Snapshot | null> {
  for (const key of [packKey(code), spotKey(code)]) {
    const snapshot = await readFrom(kv, key, code, onUnreadable);
    if (snapshot !== null && isRecent(snapshot, now) && serves(snapshot)) {
      return snapshot;
    }
  }
  return null;
}

/** Keeps a snapshot that was made for a report. */
export async function keepSnapshot(kv: KVNamespace, snapshot: Snapshot): Promise<void> {
  await kv.put(spotKey(snapshot.municipality.code), joinLines([packSnapshot(snapshot)]), {
    expirationTtl: SPOT_LIVES_SECONDS,
  });
}

/** Reads the line of each of these municipalities from a pack; nothing of those that are not in it. */
export async function readPackedLines(
  kv: KVNamespace,
  key: string,
  codes: readonly string[],
): Promise<readonly string[]> {
  const value = await kv.get(key);
  return value === null ? [] : codes.map((code) => findLine(value, code)).filter((line) => line !== null);
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
    const value = await within(READ_WITHIN_MS, kv.get(key, { type: 'text', cacheTtl: CACHED_SECONDS }));
    const line = value === null ? null : findLine(value, code);
    return line === null ? null : unpackOnce(line, `${key} ${code}`);
  } catch (error) {
    console.warn(
      JSON.stringify({
        event: 'snapshot_unreadable',
        key,
        municipality_code: code,
        message: errorMessage(error),
      }),
    );
    onUnreadable();
    return null;
  }
}

function unpackOnce(line: string, memoKey: string): Snapshot {
  const known = unpacked.get(memoKey);
  if (known?.line === line) {
    return known.snapshot;
  }
  const snapshot = unpackSnapshot(line);
  unpacked.set(memoKey, { line, snapshot });
  return snapshot;
}
