import { weakTagOf } from '../http/etag.ts';
import { VersionedText } from './operation.ts';

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
export const findVersion = (source: object, key: string, make: () => object): Promise<VersionedText> =>
  findTextVersion(source, key, () => JSON.stringify(make()));

/** The same of an answer that is text. */
export async function findTextVersion(
  source: object,
  key: string,
  write: () => string,
): Promise<VersionedText> {
  const versions = bySource.getOrInsertComputed(source, () => new Map<string, VersionedText>());
  const known = versions.get(key);
  if (known !== undefined) {
    return known;
  }
  const text = write();
  const made = await versionOf(text);
  if (text.length <= MAX_KEPT_LENGTH) {
    versions.set(key, made);
  }
  return made;
}

/** An answer that no other caller is likely to ask for: it is not kept. */
export const versionOf = async (text: string): Promise<VersionedText> =>
  new VersionedText(text, { etag: await weakTagOf(text), maxAgeSeconds: MAX_AGE_SECONDS });
