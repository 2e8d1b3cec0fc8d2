import type { Language } from '../../../src/text/text.ts';

const LOCALES = { en: 'en-GB', it: 'it-IT' } as const;

/** A number with its thousands kept apart: 1,000,000 or 1.000.000. */
export function grouped(count: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language], { useGrouping: 'always' }).format(count);
}

/** How long something takes or has taken, in few characters: `7 s`, `2:05`, `1:00:00`. */
export function durationOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, '0')}:${rest}`;
}
