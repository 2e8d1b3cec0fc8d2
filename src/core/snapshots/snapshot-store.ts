import { withTimeout } from '../../base/platform/deadline.ts';
import { KV_CACHED_SECONDS } from '../../base/platform/kv-notes.ts';
import { errorMessage, logEvent } from '../../base/platform/log-event.ts';
import type { Instant } from '../../domain/instant.ts';
import { Memo } from '../../domain/memo.ts';
import { isRecent, packedSnapshot, type Snapshot } from './snapshot.ts';

/*
 * What is in KV:
 *
 * | key           | value                                                          | written by                             |
 * |---------------|----------------------------------------------------------------|----------------------------------------|
 * | `minute:<n>`  | the snapshots of the municipalities in pack n, 0 to 31         | the minute's cron, a new configuration |
 * | `public`      | the directory of public municipalities: `public-directory.ts`  | the minute's cron, a new configuration |
 * | `refreshed`   | when the cron last renewed all: `lastRefresh` of `kv-notes.ts` | the minute's cron                      |
 * | `spot:<code>` | the snapshot of one municipality, for some minutes             | a report that found none               |
 *
 * A value is text: a line with the version, then a line of JSON for each municipality, which begins with its code and
 * has the shape of `packedSnapshot` in `snapshot.ts`. To read one municipality, only its line is parsed. Instants are
 * milliseconds since the epoch. A value of another version, or one that does not parse, counts as missing. Other
 * modules have their own keys: docs/architecture.md lists them all.
 *
 * With 32 packs a run costs 32 writes, whether there are 200 municipalities or 1,000.
 */
const VERSION_LINE = 'snapshots/2';
const PACKS = 32;

/** The key of the pack that a municipality is in. It depends on the code alone. */
export function packKey(code: string): string {
  // FNV-1a: spreads codes that differ in a single character.
  let hash = 0x811c9dc5;
  for (let index = 0; index < code.length; index += 1) {
    hash = Math.imul(hash ^ code.charCodeAt(index), 0x01000193) >>> 0;
  }
  return `minute:${hash % PACKS}`;
}

/** The key of a snapshot that was computed on demand, for a report. */
export const onDemandKey = (code: string): string => `spot:${code}`;

/** The line of a snapshot. */
export const packSnapshot = (snapshot: Snapshot): string => JSON.stringify(packedSnapshot.pack(snapshot));

/**
 * Reads a line back into a snapshot.
 *
 * @throws Error when it is not JSON, or not of this shape
 */
const unpackSnapshot = (line: string): Snapshot =>
  packedSnapshot.unpack(packedSnapshot.schema.parse(JSON.parse(line)) as never);

/** The lines as the value of a key. */
export const joinLines = (lines: readonly string[]): string => [VERSION_LINE, ...lines].join('\n');

/** The lines of a value, by the code of their municipality; empty for a value of another version. */
export function linesOf(value: string): ReadonlyMap<string, string> {
  const [version, ...lines] = value.split('\n');
  return new Map(version === VERSION_LINE ? lines.map((line) => [codeIn(line), line]) : []);
}

const LEADING_CODE = /^\[("(?:[^"\\]|\\.)*"),/;

/** A line begins with its code, as JSON. */
function codeIn(line: string): string {
  const [, code = '""'] = LEADING_CODE.exec(line) ?? [];
  return JSON.parse(code);
}

/** The line of a municipality in a value. Null if it has none, or the value is of another version. */
function findLine(value: string, code: string): string | null {
  if (!value.startsWith(`${VERSION_LINE}\n`)) {
    return null;
  }
  // No line contains a line break: JSON writes one as `\n`.
  const start = value.indexOf(`\n[${JSON.stringify(code)},`);
  if (start === -1) {
    return null;
  }
  const end = value.indexOf('\n', start + 1);
  return value.slice(start + 1, end === -1 ? undefined : end);
}

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
