/** The languages in which the service speaks to people. */
export type Language = 'en' | 'it';

/** A text for people, in each language of the service. */
export type Text = Readonly<Record<Language, string>>;

/** A text as it is searched: accents, case and blanks around it do not count. */
export const fold = (text: string): string =>
  text.trim().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Anything that looks like one of our tokens, whole or clipped. */
const LOOKS_LIKE_A_TOKEN = /pev_(?:at|ak)_[0-9A-Za-z_]*/gi;

/** The text with everything that looks like one of our tokens masked. Use it for anything that is logged or stored. */
export function maskTokens(text: string): string {
  return text.replace(LOOKS_LIKE_A_TOKEN, 'pev_***');
}

/** Whether a text holds anything that {@link maskTokens} would mask. */
export function holdsToken(text: string): boolean {
  return text.search(LOOKS_LIKE_A_TOKEN) !== -1;
}

/** Control characters, and those that turn the direction of text, so that what follows reads as something else. */
const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Whether a text holds a character that a terminal obeys, or that turns the direction of what follows. */
export const holdsSteering = (text: string): boolean => text.search(STEERING) !== -1;

/** The text with each such character as its number: visible, and without effect. */
export const withSteeringShown = (text: string): string => text.replace(STEERING, numberOf);

const numberOf = (character: string): string =>
  `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`;

/** The number as JSON and YAML escape it, so that data keeps its value and is safe to look at. */
export const withSteeringEscaped = (text: string): string =>
  text.replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, escapeOf);

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
