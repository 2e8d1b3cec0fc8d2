const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * An instant as people write it: `24/11/2026 06:44`, by the clocks that the text was written for. Seconds are shown where
 * there are any, UTC is named. Anything else stays as it is.
 */
export function shownTime(text: string): string {
  const [, year, month, day, time, seconds, zone] = INSTANT.exec(text) ?? [];
  if (year === undefined) return text;
  const exact = seconds === undefined || seconds === '00' ? time : `${time}:${seconds}`;
  return `${day}/${month}/${year} ${exact}${zone === 'Z' ? ' UTC' : ''}`;
}
