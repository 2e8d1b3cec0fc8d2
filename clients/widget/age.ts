import type { Occupancy } from './answer.ts';
import { type Language, LOCALES, TEXTS } from './texts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The instant of the figures: that of their counting, or of the last report if sources are late.
 *
 * @returns ISO 8601; null if no source has ever reported
 */
export const knownAt = ({ data_quality, as_of, last_source_success_at }: Occupancy): string | null =>
  data_quality === 'good' ? as_of : (last_source_success_at ?? (data_quality === 'outdated' ? null : as_of));

/**
 * How old the figures are, and their time of day in the municipality's time zone. The time is right even if
 * the reader's clock is wrong; a clock that is behind makes them new, never from the future.
 *
 * @param at ISO 8601
 * @param now milliseconds since the epoch
 */
export function ageText(at: string, timeZone: string, language: Language, now: number): string {
  const ageMs = Math.max(0, now - Date.parse(at));
  return TEXTS[language].updated(relative(ageMs, language), timeText(at, timeZone, language, now));
}

/** A time of day, with its date unless that is today's. */
export function timeText(at: string, timeZone: string, language: Language, now: number): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    timeStyle: 'short',
    ...(Math.abs(now - Date.parse(at)) >= DAY_MS / 2 && { dateStyle: 'medium' }),
    timeZone,
  }).format(Date.parse(at));
}

function relative(ageMs: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(LOCALES[language]);
  if (ageMs < MINUTE_MS) return TEXTS[language].momentAgo;
  if (ageMs < HOUR_MS) return format.format(-Math.floor(ageMs / MINUTE_MS), 'minute');
  if (ageMs < DAY_MS) return format.format(-Math.floor(ageMs / HOUR_MS), 'hour');
  return format.format(-Math.floor(ageMs / DAY_MS), 'day');
}
