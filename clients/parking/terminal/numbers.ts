import type { Language, Text } from '../../../src/base/text/text.ts';

const LOCALES = { en: 'en-GB', it: 'it-IT' } as const;

/** A number with its thousands kept apart: 1,000,000 or 1.000.000. */
export function groupDigits(count: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language], { useGrouping: 'always' }).format(count);
}

/** An amount of euro cents as people read it: €1,025.00 or 1.025,00 €. */
export const euros = (cents: number, language: Language): string =>
  new Intl.NumberFormat(LOCALES[language], {
    ...{ style: 'currency', currency: 'EUR', useGrouping: 'always' },
  }).format(cents / 100);

/** A noun: the word for one, and the word for none or several. */
export type Counted = readonly [one: Text, several: Text];

/** The word that goes with a count. */
export const wordFor = (count: number, [one, several]: Counted, language: Language): string =>
  (count === 1 ? one : several)[language];

/** A count with its word: `1 line`, `1,000 lines`. */
export const counted = (count: number, words: Counted, language: Language): string =>
  `${groupDigits(count, language)} ${wordFor(count, words, language)}`;

/** How long something takes or has taken, in few characters: `7 s`, `2:05`, `1:00:00`. */
export function durationOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`;
}
