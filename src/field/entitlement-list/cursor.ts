import * as z from 'zod';
import { type Instant, instant } from '../../domain/instant.ts';
import type { Mark } from './facility-table.ts';

/** Where a list continues: behind a row of one of its parts. It names no key and no plate. */
export interface Position {
  readonly part: 'sessions' | 'open_sessions' | 'titles';
  /** The sort key of the last row that was sent whole. Of titles, the third number is the title being sent, or 0. */
  readonly after: readonly [number, number, number];
  /** How many lines of that title were sent already. */
  readonly sent: number;
}

/** What a caller has received, and what comes next. */
export interface ListState {
  /** The instant of the list that is being sent, or of the last one. */
  readonly asOf: Instant;
  /** What was recorded later is still to be sent. */
  readonly since: Instant;
  /** A delta under way has what was recorded up to this instant; null where none is. */
  readonly upTo: Instant | null;
  /** The newest change when the last page was sent, which may show it already. */
  readonly seen: Mark;
  /** Null: all pages were sent. */
  readonly position: Position | null;
}

/** The list that a cursor belongs to. */
export interface ListName {
  readonly areaId: number;
  /** Names the token. */
  readonly keyId: string;
  /** A digest of the settings that change every entry at once. */
  readonly settings: string;
}

const instantNumber = z.int().min(0).transform(instant);
const written = z.tuple([
  z.tuple([z.int(), z.string(), z.string()]),
  instantNumber,
  instantNumber,
  instantNumber.nullable(),
  z.tuple([instantNumber, z.string()]).transform(([at, call]): Mark => ({ at, call })),
  z
    .tuple([
      z.enum(['sessions', 'open_sessions', 'titles']),
      z.tuple([z.int(), z.int(), z.int()]),
      z.int().min(0),
    ])
    .transform(([part, after, sent]): Position => ({ part, after, sent }))
    .nullable(),
]);

/** Not sealed: a caller who changes a cursor only changes which lines of their own list they get. */
export function writeCursor(
  { areaId, keyId, settings }: ListName,
  { asOf, since, upTo, seen, position }: ListState,
): string {
  const list = [areaId, keyId, settings];
  const place = position && [position.part, position.after, position.sent];
  return new TextEncoder()
    .encode(JSON.stringify([list, asOf, since, upTo, [seen.at, seen.call], place]))
    .toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** @returns null for a text that is no cursor */
export function readCursor(cursor: string): { readonly list: ListName; readonly state: ListState } | null {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: 'base64url' });
    const [[areaId, keyId, settings], asOf, since, upTo, seen, position] = written.parse(
      JSON.parse(new TextDecoder().decode(bytes)),
    );
    return { list: { areaId, keyId, settings }, state: { asOf, since, upTo, seen, position } };
  } catch {
    return null;
  }
}
