import type { Language } from '../../../src/base/text/text.ts';
import { type Counted, counted } from '../terminal/numbers.ts';

const word = (en: string, one: string, several: string): Counted => [
  { en, it: one },
  { en, it: several },
];
const CREATED = word('created', 'creato', 'creati');
const UPDATED = word('updated', 'aggiornato', 'aggiornati');
const UNCHANGED = word('unchanged', 'invariato', 'invariati');

/** How many items of a configuration are or were changed: `1 created, 0 updated, 5 unchanged`. */
export const sumWords = (
  { created, updated, unchanged }: { created: number; updated: number; unchanged: number },
  language: Language,
): string =>
  [
    counted(created, CREATED, language),
    counted(updated, UPDATED, language),
    counted(unchanged, UNCHANGED, language),
  ].join(', ');
