interface Entry<Who> {
  readonly who: Who;
  seenAtMs: number;
  hasPlace: boolean;
}

/** Tells whether somebody may have a place beside those who have one. */
export type Admits<Who> = (who: Who, holders: readonly Who[]) => boolean;

/**
 * Calls of one isolate that wait for a few places: first come, first served, of those that may have one.
 *
 * Whoever waits asks again and again, and so does whoever holds a place. Nobody waits on a promise of another call: the
 * runtime stops a call whose client goes away between two of its steps, and whatever was to be resolved by it would
 * never be. Who is not heard of for a while is forgotten, and the place passes on.
 */
export class WaitingLine<Who extends object> {
  readonly #admits: Admits<Who>;
  readonly #forgottenAfterMs: number;
  #entries: Entry<Who>[] = [];

  /** @param forgottenAfterMs how long somebody may stay silent, in milliseconds */
  constructor(admits: Admits<Who>, forgottenAfterMs: number) {
    this.#admits = admits;
    this.#forgottenAfterMs = forgottenAfterMs;
  }

  /**
   * Tells whether somebody has a place now. Who is not in the line yet, or has been forgotten, is put at its end.
   *
   * @param nowMs of a clock that never goes back
   */
  hasPlace(who: Who, nowMs: number): boolean {
    this.#entries = this.#entries.filter(
      (entry) => entry.who === who || nowMs - entry.seenAtMs < this.#forgottenAfterMs,
    );
    let own = this.#entries.find((entry) => entry.who === who);
    if (own === undefined) {
      own = { who, seenAtMs: nowMs, hasPlace: false };
      this.#entries.push(own);
    }
    own.seenAtMs = nowMs;
    this.#givePlaces();
    return own.hasPlace;
  }

  leave(who: Who): void {
    this.#entries = this.#entries.filter((entry) => entry.who !== who);
  }

  #givePlaces(): void {
    const holders = this.#entries.filter(({ hasPlace }) => hasPlace).map(({ who }) => who);
    for (const entry of this.#entries) {
      if (!entry.hasPlace && this.#admits(entry.who, holders)) {
        entry.hasPlace = true;
        holders.push(entry.who);
      }
    }
  }
}
