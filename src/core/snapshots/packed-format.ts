import { packedSnapshot, type Snapshot } from './snapshot.ts';

/*
 * What is in KV:
 *
 * | key           | value                                                          | written by                     |
 * |---------------|----------------------------------------------------------------|--------------------------------|
 * | `minute:<n>`  | the snapshots of the municipalities in pack n, 0 to 31         | that run, and configurations   |
 * | `public`      | the directory of public municipalities: `public-directory.ts`  | that run, and configurations   |
 * | `refreshed`   | the instant of the last whole run: `last-refresh.ts`           | that run                       |
 * | `spot:<code>` | the snapshot of one municipality, for some minutes             | a report that found none       |
 *
 * A value is text: a line with the version, then a line of JSON for each municipality, which begins with its code and
 * has the shape of `packedSnapshot` in `snapshot.ts`. To read one municipality, only its line is parsed. Instants are
 * milliseconds since the epoch. A value of another version, or one that does not parse, counts as missing. Other rooms keep
 * a key of their own: docs/architecture.md lists them all.
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
export const unpackSnapshot = (line: string): Snapshot =>
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
export function findLine(value: string, code: string): string | null {
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
