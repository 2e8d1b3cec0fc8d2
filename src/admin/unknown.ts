import type { Text } from '../text/text.ts';

/** For a `NOT_FOUND`. */
export const UNKNOWN_MUNICIPALITY: Text = {
  en: 'There is no municipality with this code.',
  it: 'Non c’è un comune con questo codice.',
};

/** Names that a message lists, so that it stays a sentence. */
const MAX_LISTED = 20;

/** @param bound the names of all databases that there are */
export function unknownDatabase(bound: readonly string[]): Text {
  const more = bound.length - MAX_LISTED;
  const names = [...bound.slice(0, MAX_LISTED), ...(more > 0 ? [`+${more}`] : [])].join(', ');
  return {
    en: `is not a known database: choose one of ${names}`,
    it: `non è una base dati conosciuta: scegliere tra ${names}`,
  };
}
