import { weakTagOf } from '../http/etag.ts';
import { VersionedText } from '../pipeline/operation.ts';

/** How long a client may keep an answer: the counters change every minute. */
const MAX_AGE_SECONDS = 30;
/** In characters. A longer answer is made for each call. */
const MAX_KEPT_LENGTH = 200_000;

/** The answers made from a snapshot or the directory, which stay the same object for a while. */
const bySource = new WeakMap<object, Map<string, VersionedText>>();

/**
 * An answer with its tag. Thousands of readers ask for the same in a minute, so it is written and digested once.
 *
 * @param source what it is made from
 * @param key what else it depends on
 */
export async function findVersion(source: object, key: string, make: () => object): Promise<VersionedText> {
  const versions = bySource.getOrInsertComputed(source, () => new Map<string, VersionedText>());
  const known = versions.get(key);
  if (known !== undefined) {
    return known;
  }
  const text = JSON.stringify(make());
  const made = new VersionedText(text, { etag: await weakTagOf(text), maxAgeSeconds: MAX_AGE_SECONDS });
  if (text.length <= MAX_KEPT_LENGTH) {
    versions.set(key, made);
  }
  return made;
}
