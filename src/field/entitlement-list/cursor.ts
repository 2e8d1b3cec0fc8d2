import * as z from 'zod';
import { instant, LAST_INSTANT } from '../../domain/instant.ts';

const instantNumber = z.int().min(0).max(LAST_INSTANT).transform(instant);

/** What a caller has received, and what comes next. It names no key and no plate. */
const cursorSchema = z.object({
  /** A digest of the facility, the token's `key_id`, the key of the ids, and the settings that change every entry at once. */
  list: z.string(),
  /** The instant of the list. */
  asOf: instantNumber,
  /** A delta has what was recorded later than this. Null: a full list. */
  since: instantNumber.nullable(),
  /** The newest change when the first page was sent: a delta ends with it, and what is later is in the next one. */
  upTo: instantNumber,
  /** The newest change when the last page was sent, which may show it already. */
  seen: z.object({
    at: instantNumber,
    /** The last bytes of the call's id, hexadecimal: the first ones are its instant. */
    call: z.string(),
  }),
  /** Behind a row of one part of the list: its sort key. Null: all pages were sent. */
  position: z
    .object({ part: z.enum(['sessions', 'titles']), after: z.tuple([z.int(), z.int()]).readonly() })
    .nullable(),
});

export type ListState = Readonly<z.output<typeof cursorSchema>>;
export type Position = NonNullable<ListState['position']>;
/** A change of the municipality, by its instant and its call: after a restore another change may have the instant. */
export type Mark = ListState['seen'];

/** Not sealed: a caller who changes a cursor only changes which lines of their own list they get. */
export const writeCursor = (state: ListState): string =>
  new TextEncoder().encode(JSON.stringify(state)).toBase64({ alphabet: 'base64url', omitPadding: true });

/** @returns null for a text that is no cursor */
export function readCursor(cursor: string): ListState | null {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: 'base64url' });
    return cursorSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}
