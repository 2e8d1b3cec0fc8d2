/**
 * What an isolate keeps between calls: one of each class, made when it is first asked for. Nothing but speed and fairness
 * may depend on it, since isolates come and go.
 */
export class Isolate {
  readonly #kept = new Map<new () => object, object>();

  /** This isolate's own instance of a class. */
  the<T extends object>(type: new () => T): T {
    let kept = this.#kept.get(type);
    if (kept === undefined) {
      kept = new type();
      this.#kept.set(type, kept);
    }
    // It was made by this very class.
    return kept as T;
  }
}
