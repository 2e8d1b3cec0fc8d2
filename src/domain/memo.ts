/**
 * Remembers what can be made again, so much of it at most. One that is full starts anew: it is a memo, not state, and
 * nothing but speed may depend on what it holds.
 */
export class Memo<Key, Value> {
  readonly #most: number;
  readonly #values = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#values.size >= this.#most && !this.#values.has(key)) {
      this.#values.clear();
    }
    this.#values.set(key, value);
  }
}
