import { fold } from '../../src/base/text/text.ts';
import type { Area } from './answer.ts';
import { type Language, LOCALES } from './texts.ts';

export type Order = 'name' | 'free';

/**
 * The areas that have the text in their name, in order. Accents and case do not count. Areas whose free spaces are not
 * known come last by free spaces; areas with as many are in the order of their names.
 */
export function arrange(
  areas: readonly Area[],
  { text, order, language }: { readonly text: string; readonly order: Order; readonly language: Language },
): readonly Area[] {
  const wanted = fold(text);
  const collator = new Intl.Collator(LOCALES[language], { numeric: true, sensitivity: 'base' });
  const byName = (a: Area, b: Area): number => collator.compare(a.name, b.name);
  const byFree = (a: Area, b: Area): number => free(b) - free(a) || byName(a, b);
  return areas.filter(({ name }) => fold(name).includes(wanted)).sort(order === 'free' ? byFree : byName);
}

const free = ({ available_now }: Area): number => available_now ?? -1;

/** The areas of these codes. Unknown codes are ignored; if none is left, all areas. */
export function chosen(areas: readonly Area[], codes: readonly string[]): readonly Area[] {
  const wanted = new Set(codes);
  const found = areas.filter(({ code }) => wanted.has(code));
  return found.length === 0 ? areas : found;
}
