import { MUNICIPALITY_ROW } from './backup-statements.ts';
import { CONFIGURATION, COPIED_JOURNAL, COPIED_SESSIONS } from './copy-statements.ts';
import { COPIED_SUBSCRIPTIONS } from './copy-subscriptions-statements.ts';
import { COPIED_REJECTED } from './rejected-statements.ts';

/** All that is copied of a municipality. For each kind: what writes it, and the names of the values in a row's list. */
export const COPIED = [
  MUNICIPALITY_ROW,
  ...CONFIGURATION,
  COPIED_SUBSCRIPTIONS,
  COPIED_SESSIONS,
  COPIED_JOURNAL,
  ...COPIED_REJECTED,
] as const;

export type CopiedKind = (typeof COPIED)[number]['kind'];

/** Rows of one kind that have been read, each a JSON list. */
export interface Rows {
  readonly kind: CopiedKind;
  readonly items: readonly string[];
}

export interface ItemRow {
  /** A JSON list. */
  readonly item: string;
}

/** The rows that a statement has read. */
export const rowsOf = (kind: Rows['kind'], read: D1Result<ItemRow> | undefined): Rows => ({
  kind,
  items: (read?.results ?? []).map(({ item }) => item),
});

/** A write that is still to be sent: the text of its statement, and the JSON list of its rows. */
interface Write {
  readonly text: string;
  readonly list: string;
}

/** The rows of one statement, in characters: a parameter may have 2 MB, and gates ask the same database. */
export const MAX_CHARACTERS = 400_000;

/** What stores rows: each statement for the same rows, as many rows at a time as a parameter takes. */
export function writesOf({ kind, items }: Rows): Write[] {
  const texts = (COPIED.find((copied) => copied.kind === kind)?.writes ?? []).map((text) => text());
  const chunks: string[][] = [];
  let characters = MAX_CHARACTERS;
  for (const item of items) {
    if (characters + item.length > MAX_CHARACTERS) {
      chunks.push([]);
      characters = 0;
    }
    chunks.at(-1)?.push(item);
    characters += item.length;
  }
  return chunks.flatMap((chunk) => texts.map((text) => ({ text, list: `[${chunk.join()}]` })));
}
