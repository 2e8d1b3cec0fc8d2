const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * An instant as people write it: `24/11/2026 06:44`, in the text's own offset. Seconds are shown unless they
 * are 0, UTC is named. Any other text stays unchanged.
 */
export function shownTime(text: string): string {
  const [, year, month, day, time, seconds, zone] = INSTANT.exec(text) ?? [];
  if (year === undefined) return text;
  const exact = seconds === undefined || seconds === '00' ? time : `${time}:${seconds}`;
  return `${day}/${month}/${year} ${exact}${zone === 'Z' ? ' UTC' : ''}`;
}
