import { randomInt } from 'node:crypto';
import { withSteeringShown } from '../../../src/base/text/steering.ts';

/**
 * What comes before a colour of our own within a text, until it is printed. Nobody else can write it: it is another one in
 * each process. It looks like a colour, so that it takes no room.
 */
const OWN = `\x1b[${Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';')};`;

/** A colour of our own, for a text that will be printed. */
export const marked = (escapes: string): string => escapes.replaceAll('\x1b[', OWN);

/** A text that cannot steer the terminal: each character that could is shown as its number. Our own colours stay. */
export const harmless = (text: string): string => text.split(OWN).map(withSteeringShown).join(OWN);

/** The same as it is printed: all that comes to a terminal or a pipe goes through here. */
export const printed = (text: string): string => harmless(text).replaceAll(OWN, '\x1b[');
