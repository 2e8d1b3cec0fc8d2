/**
 * A small cache of recomputable values, emptied when it is full. Only speed may depend on its content.
 */
export class Memo<Key, Value> {
  readonly #maxSize: number;
  readonly #values = new Map<Key, Value>();

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#values.size >= this.#maxSize && !this.#values.has(key)) {
      this.#values.clear();
    }
    this.#values.set(key, value);
  }
}
