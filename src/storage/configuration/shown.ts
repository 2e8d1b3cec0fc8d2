import { AREA } from './kinds.ts';

/** The properties of an area that nothing but public pages shows. */
type Declared = typeof AREA.declarations;
export type ShownName = {
  [Name in keyof Declared]: Declared[Name] extends { readonly shown: unknown } ? Name : never;
}[keyof Declared];

/** Each with its declaration, in the order of the document. */
export const SHOWN = Object.entries(AREA.declarations).filter(
  (entry): entry is [ShownName, Declared[ShownName]] => 'shown' in entry[1],
);

/** Their columns. */
export type ShownColumn = Declared[ShownName]['column'];
export const SHOWN_COLUMNS: readonly ShownColumn[] = SHOWN.map(([, { column }]) => column);

/** Their schemas in public answers. */
// One entry for each.
export const SHOWN_ANSWERS = Object.fromEntries(
  SHOWN.map(([name, { shown, words }]) => [name, shown.describe(words)]),
) as { readonly [Name in ShownName]: Declared[Name]['shown'] };
