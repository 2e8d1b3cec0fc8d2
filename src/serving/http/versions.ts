import type { Versioned } from '../answer.ts';
import { weakTagOf } from './etag.ts';

/** How long a client may keep an answer: the counters change every minute. */
const MAX_AGE_SECONDS = 30;
/** In characters. A longer answer is made for each call. */
const MAX_KEPT_LENGTH = 200_000;

/** In characters of all answers, of two bytes at most: strangers may ask for each page of each city in every form. */
const MAX_KEPT_IN_ALL = 10_000_000;

/** The answers made from a snapshot or the directory, which stay the same object for a while. */
let bySource = new WeakMap<object, Map<string, Versioned>>();
/** Of all answers that were kept, those of sources that are gone too. */
let keptCharacters = 0;

/**
 * An answer with its tag. Thousands of readers ask for the same in a minute, so it is written and digested once.
 *
 * @param source what it is made from
 * @param key what else it depends on
 */
export const findVersion = (source: object, key: string, make: () => object): Promise<Versioned> =>
  findTextVersion(source, key, () => JSON.stringify(make()));

/** The same of an answer that is text. */
export async function findTextVersion(
  source: object,
  key: string,
  write: () => string | Promise<string>,
): Promise<Versioned> {
  const known = bySource.get(source)?.get(key);
  if (known !== undefined) {
    return known;
  }
  const text = await write();
  const made = await versionOf(text);
  if (text.length <= MAX_KEPT_LENGTH) {
    keep(source, key, made);
  }
  return made;
}

/** Forgets all other answers where there is no room. */
function keep(source: object, key: string, made: Versioned): void {
  keptCharacters += made.text.length;
  if (keptCharacters > MAX_KEPT_IN_ALL) {
    bySource = new WeakMap();
    keptCharacters = made.text.length;
  }
  bySource.getOrInsertComputed(source, () => new Map<string, Versioned>()).set(key, made);
}

/** An answer that no other caller is likely to ask for: it is not kept. */
export const versionOf = async (text: string): Promise<Versioned> => ({
  text,
  etag: await weakTagOf(text),
  maxAgeSeconds: MAX_AGE_SECONDS,
});
