import { locale, say } from '../language.ts';

export const NO_AREAS = say('There are no areas of this type.', 'Non ci sono aree di questo tipo.');
export const OCCUPIED = say('Occupied', 'Occupati');
export const FREE = say('Free', 'Liberi');
export const OCCUPIED_TODAY = say('Occupied today', 'Occupati oggi');
export const NOW = say('Now', 'Adesso');
export const AFTER_30 = say('In 30 min', 'Tra 30 min');
export const AFTER_60 = say('In 60 min', 'Tra 60 min');

const PLAIN = new Intl.NumberFormat(locale);
const PERCENT = new Intl.NumberFormat(locale, { style: 'percent' });

/** A number; a dash for none. */
export const numberText = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : PLAIN.format(value);

export const percentText = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : PERCENT.format(value / 100);
