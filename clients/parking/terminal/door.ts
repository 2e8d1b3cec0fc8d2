import { randomInt } from 'node:crypto';
import { withSteeringShown } from '../../../src/base/text/text.ts';

/**
 * The mark before a colour of our own within a text, until it is printed. It is random in each process, so no
 * other text can contain it. It looks like a colour, so that it takes no width.
 */
const OWN = `\x1b[${Array.from({ length: 4 }, () => randomInt(1_000, 10_000)).join(';')};`;

/** A colour of our own, for a text that will be printed. */
export const marked = (escapes: string): string => escapes.replaceAll('\x1b[', OWN);

/**
 * A text that cannot steer the terminal: control characters are shown as their numbers. Our own colours stay.
 */
export const harmless = (text: string): string => text.split(OWN).map(withSteeringShown).join(OWN);

/** The same for printing: all output to a terminal or a pipe goes through here. */
export const printed = (text: string): string => harmless(text).replaceAll(OWN, '\x1b[');
