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
