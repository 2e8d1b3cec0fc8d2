import { readTime, type TimeField } from '../../tables/read-time.ts';
import { Zone } from '../../tables/zone.ts';
import { language, locale } from '../language.ts';

/** The start of a right: where the clock shows an hour twice, the earlier one. */
export const START: TimeField = { side: 'earlier', isEnd: false };
/** Its end. A date alone counts with its whole day. */
export const END: TimeField = { side: 'later', isEnd: true };

/** Instants as the city's clock shows them, and as a clerk writes them. */
export class Times {
  readonly #zone: Zone;
  readonly #format: Intl.DateTimeFormat;
  readonly #exact: Intl.DateTimeFormat;
  readonly #typed: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#zone = new Zone(timeZone);
    const date = { day: '2-digit', month: '2-digit', year: 'numeric', timeZone } as const;
    const minutes = { ...date, hour: '2-digit', minute: '2-digit' } as const;
    this.#format = new Intl.DateTimeFormat(locale, minutes);
    this.#exact = new Intl.DateTimeFormat(locale, { ...minutes, second: '2-digit' });
    // Swedish writes a date as the fields of a form want it.
    this.#typed = new Intl.DateTimeFormat('sv-SE', minutes);
  }

  /** To the minute; a dash for none. */
  shown(at: string | null | undefined): string {
    return at ? this.#format.format(Date.parse(at)) : '–';
  }

  /** To the second. */
  exact(at: string): string {
    return this.#exact.format(Date.parse(at));
  }

  /** From one instant to another; no end is an open one. */
  span(from: string | null | undefined, until: string | null | undefined): string {
    return `${from ? this.shown(from) : '…'} → ${until ? this.shown(until) : '…'}`;
  }

  /** As a form's field of text has it: `2026-12-25 18:00`. */
  typed(at: number | string): string {
    return this.#typed.format(typeof at === 'number' ? at : Date.parse(at));
  }

  /** As a form's field of a date has it; empty for none. */
  date(at: number | string | null | undefined): string {
    return at ? this.typed(at).slice(0, '2026-12-25'.length) : '';
  }

  /**
   * The instant of a date, or a date with a time, on the city's clock.
   *
   * @throws Error if it is none
   */
  instantOf(typed: string, field: TimeField): string {
    const rules = { zone: this.#zone, dateOrder: 'dmy', endDates: 'included' } as const;
    const reading = readTime(typed, rules, field);
    if (reading.trouble !== undefined) throw new Error(`${typed} ${reading.trouble[language]}`);
    return reading.at;
  }

  /** The same of a date that may be empty. */
  dateOf(date: string, field: TimeField): string | null {
    return date === '' ? null : this.instantOf(date, field);
  }
}
