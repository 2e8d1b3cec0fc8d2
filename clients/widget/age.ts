import { type Language, LOCALES, TEXTS } from './texts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * How old the figures are, and the time of day that they are of, in the municipality's time zone. The time is right even
 * where the reader's clock is not; a clock that is behind makes them new, never from the future.
 *
 * @param asOf ISO 8601
 * @param now milliseconds since the epoch
 */
export function ageText(asOf: string, timeZone: string, language: Language, now: number): string {
  const at = Date.parse(asOf);
  const ageMs = Math.max(0, now - at);
  const time = new Intl.DateTimeFormat(LOCALES[language], {
    timeStyle: 'short',
    // A time of day alone would be taken for today's.
    ...(ageMs >= DAY_MS / 2 && { dateStyle: 'medium' }),
    timeZone,
  }).format(at);
  return TEXTS[language].updated(relative(ageMs, language), time);
}

function relative(ageMs: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(LOCALES[language]);
  if (ageMs < MINUTE_MS) return TEXTS[language].momentAgo;
  if (ageMs < HOUR_MS) return format.format(-Math.floor(ageMs / MINUTE_MS), 'minute');
  if (ageMs < DAY_MS) return format.format(-Math.floor(ageMs / HOUR_MS), 'hour');
  return format.format(-Math.floor(ageMs / DAY_MS), 'day');
}
