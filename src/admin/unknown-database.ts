import type { Text } from '../text/text.ts';

/** Names that a message lists, so that it stays a sentence. */
const MOST_LISTED = 20;

/** @param bound the names of all databases that there are */
export function unknownDatabase(bound: readonly string[]): Text {
  const more = bound.length - MOST_LISTED;
  const names = [...bound.slice(0, MOST_LISTED), ...(more > 0 ? [`+${more}`] : [])].join(', ');
  return {
    en: `there is no such database: there are ${names}`,
    it: `non c’è una base dati con questo nome: ci sono ${names}`,
  };
}
