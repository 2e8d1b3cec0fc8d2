import type { Versioned } from '../answer.ts';

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
export async function findVersion(
  source: object,
  key: string,
  write: () => string | Promise<string>,
): Promise<Versioned> {
  const known = bySource.get(source)?.get(key);
  if (known !== undefined) return known;
  const made = await versionOf(await write());
  keptCharacters += made.text.length;
  if (keptCharacters > MAX_KEPT_IN_ALL) {
    // There is no more room: all other answers are forgotten.
    bySource = new WeakMap();
    keptCharacters = made.text.length;
  }
  bySource.getOrInsertComputed(source, () => new Map<string, Versioned>()).set(key, made);
  return made;
}

/** Half of the digest is enough to distinguish the versions of an answer. */
const TAG_BYTES = 16;

/**
 * An answer that no other caller is likely to ask for: it is not kept. Its tag is a weak one, and the same in every isolate that has
 * the same text.
 */
export async function versionOf(text: string): Promise<Versioned> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const etag = `W/"${new Uint8Array(digest, 0, TAG_BYTES).toHex()}"`;
  return { text, etag };
}
