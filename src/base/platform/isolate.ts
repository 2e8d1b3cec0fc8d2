/**
 * An isolate's state between calls: one instance of each class, made on first use. Nothing but speed and
 * fairness may depend on it, since isolates come and go.
 */
export class Isolate {
  readonly #kept = new Map<new () => object, object>();

  /** This isolate's instance of a class. */
  get<T extends object>(type: new () => T): T {
    // The instance under a class was made by that class.
    return this.#kept.getOrInsertComputed(type, () => new type()) as T;
  }
}
