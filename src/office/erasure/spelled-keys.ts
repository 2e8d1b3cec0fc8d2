import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { erasedDigest, keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import type { Holder } from '../administration/holder.ts';
import { readErasedUnder, type WholeCallRow } from './erasure-table.ts';
import { wordsSpelling } from './masked-plate.ts';

/**
 * The keys that the plate was erased from, found among the words of calls that spell it: a call may be logged after an
 * erasure has ended and its keys are forgotten.
 */
export class SpelledKeys {
  readonly #databases: readonly D1Database[];
  readonly #holder: Holder;
  readonly #digestKeys: readonly string[];
  readonly #asked = new Set<string>();
  readonly #found = new Set<string>();
  #asking: Promise<unknown> = Promise.resolve();

  /**
   * @param databases where the tenant's municipalities live: a municipality that has moved has left its calls behind
   * @param digestKeys all of them
   */
  constructor(databases: readonly D1Database[], holder: Holder, digestKeys: readonly string[]) {
    this.#databases = databases;
    this.#holder = holder;
    this.#digestKeys = digestKeys;
  }

  /** Adds those that calls spell. Each word is looked up once, since every database is asked for it. */
  async addFrom(calls: readonly WholeCallRow[]): Promise<readonly string[]> {
    const words = calls.flatMap(({ request, response }) =>
      [request, response].flatMap((text) => wordsSpelling(text, this.#holder.plate)),
    );
    // One after the other: calls of two databases often have the same words.
    const asking = this.#asking.then(() => this.#lookUp(words));
    this.#asking = asking.catch(() => undefined);
    await asking;
    return [...this.#found];
  }

  async #lookUp(words: readonly string[]): Promise<void> {
    const unknown = [...new Set(words)].filter((word) => !this.#asked.has(word));
    if (unknown.length === 0) {
      return;
    }
    const { plate, municipalities } = this.#holder;
    const byDigest = new Map(
      unknown.flatMap((word) =>
        this.#digestKeys.map((digestKey) => [keyDigest(digestKey, word), word] as const),
      ),
    );
    const ids = municipalities.map(({ id }) => id);
    const rows = await allSideBySide(this.#databases, (db) => readErasedUnder(db, ids, [...byDigest.keys()]));
    for (const { digest, ...from } of rows.flat()) {
      const word = byDigest.get(from.key);
      const isIts =
        digest === null ||
        this.#digestKeys.some((digestKey) => erasedDigest(digestKey, from, plate) === digest);
      if (word !== undefined && isIts) {
        this.#found.add(word);
      }
    }
    for (const word of unknown) {
      this.#asked.add(word);
    }
  }
}
