import { withSteeringShown } from '../../base/text/steering.ts';
import type { Text } from '../../base/text/text.ts';
import { maskTokens } from '../../base/text/token-mask.ts';

/** For a `NOT_FOUND`. */
export const UNKNOWN_MUNICIPALITY: Text = {
  en: 'There is no municipality with this code.',
  it: 'Non c’è un comune con questo codice.',
};

/** Names that a message lists, so that it stays a sentence. */
const MAX_LISTED = 20;

/** A caller's name may have any length, and may be a token. */
const MAX_NAME_LENGTH = 100;

/**
 * @param name the one that was sent
 * @param bound the names of all databases that there are
 */
export function unknownDatabase(name: string, bound: readonly string[]): Text {
  const sent = withSteeringShown(maskTokens(name).slice(0, MAX_NAME_LENGTH));
  const more = bound.length - MAX_LISTED;
  const names = [...bound.slice(0, MAX_LISTED), ...(more > 0 ? [`+${more}`] : [])].join(', ');
  return {
    en: `${sent} is not a known database: choose one of ${names}`,
    it: `${sent} non è una base dati conosciuta: scegliere tra ${names}`,
  };
}
