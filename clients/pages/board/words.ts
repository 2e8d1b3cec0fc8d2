import type { BoardTexts } from '../../../src/public/pages/board-texts.ts';

/** In what words, and whose numbers and times, a picture is drawn. */
export interface Words {
  readonly texts: BoardTexts;
  readonly locale: string;
}

/** Puts values into a text, in place of their names between braces. */
export const put = (text: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(`{${name}}`, () => value), text);

export function numberIn(locale: string): (value: number | null | undefined) => string {
  const { format } = new Intl.NumberFormat(locale);
  return (value) => (value === null || value === undefined ? '–' : format(value));
}

export function percentIn(locale: string): (value: number | null | undefined) => string {
  const { format } = new Intl.NumberFormat(locale, { style: 'percent' });
  return (value) => (value === null || value === undefined ? '–' : format(value / 100));
}
