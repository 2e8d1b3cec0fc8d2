interface Entry {
  readonly who: object;
  seenAtMs: number;
}

/**
 * Calls of one isolate that wait for a few places, first come, first served.
 *
 * Whoever waits asks again and again, and so does whoever holds a place. Nobody waits on a promise of another call: the
 * runtime stops a call whose client goes away between two of its steps, and whatever was to be resolved by it would
 * never be. Who is not heard of for a while is forgotten, and the place passes on.
 */
export class WaitingLine {
  readonly #places: number;
  readonly #forgottenAfterMs: number;
  #entries: Entry[] = [];

  /** @param forgottenAfterMs how long somebody may stay silent, in milliseconds */
  constructor(places: number, forgottenAfterMs: number) {
    this.#places = places;
    this.#forgottenAfterMs = forgottenAfterMs;
  }

  /**
   * Tells whether somebody has a place now. Who is not in the line yet, or has been forgotten, is put at its end.
   *
   * @param nowMs of a clock that never goes back
   */
  hasPlace(who: object, nowMs: number): boolean {
    this.#entries = this.#entries.filter(
      (entry) => entry.who === who || nowMs - entry.seenAtMs < this.#forgottenAfterMs,
    );
    const index = this.#entries.findIndex((entry) => entry.who === who);
    const known = this.#entries[index];
    if (known === undefined) {
      return this.#entries.push({ who, seenAtMs: nowMs }) <= this.#places;
    }
    known.seenAtMs = nowMs;
    return index < this.#places;
  }

  leave(who: object): void {
    this.#entries = this.#entries.filter((entry) => entry.who !== who);
  }
}
