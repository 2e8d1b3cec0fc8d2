/**
 * What an isolate keeps between calls: one of each class, made when it is first asked for. Nothing but speed and
 * fairness may depend on it, since isolates come and go.
 */
export class Isolate {
  readonly #kept = new Map<new () => object, object>();

  /** This isolate's own instance of a class. */
  the<T extends object>(type: new () => T): T {
    // What is kept for a class was made by that class.
    return this.#kept.getOrInsertComputed(type, () => new type()) as T;
  }
}
