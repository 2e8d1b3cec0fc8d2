interface Entry<Who> {
  readonly who: Who;
  seenAtMs: number;
  hasSlot: boolean;
}

/** Whether a call may have a slot along with the present holders. */
type Admits<Who> = (who: Who, holders: readonly Who[]) => boolean;

/**
 * Calls of one isolate that wait for a few slots: first come, first served, of those that may have one.
 *
 * Waiting calls ask again and again, and so do those that hold a slot. No call waits on a promise of another:
 * if that call's client goes away, the runtime may stop it between any two steps, and its promises would
 * never resolve. A call that has not asked for a while is forgotten, and its slot goes to the next.
 */
export class WaitingLine<Who extends object> {
  readonly #admits: Admits<Who>;
  readonly #forgottenAfterMs: number;
  #entries: Entry<Who>[] = [];

  /** @param forgottenAfterMs how long a call may stay silent, in milliseconds */
  constructor(admits: Admits<Who>, forgottenAfterMs: number) {
    this.#admits = admits;
    this.#forgottenAfterMs = forgottenAfterMs;
  }

  /**
   * Whether a call has a slot now. One that is not in the line yet, or was forgotten, is put at its end.
   *
   * @param nowMs of a clock that never goes back
   */
  hasSlot(who: Who, nowMs: number): boolean {
    this.#entries = this.#entries.filter(
      (entry) => entry.who === who || nowMs - entry.seenAtMs < this.#forgottenAfterMs,
    );
    let own = this.#entries.find((entry) => entry.who === who);
    if (own === undefined) {
      own = { who, seenAtMs: nowMs, hasSlot: false };
      this.#entries.push(own);
    }
    own.seenAtMs = nowMs;
    this.#giveSlots();
    return own.hasSlot;
  }

  /** How many are before a call in the line, those with a slot too. */
  countAhead(who: Who): number {
    return Math.max(
      0,
      this.#entries.findIndex((entry) => entry.who === who),
    );
  }

  leave(who: Who): void {
    this.#entries = this.#entries.filter((entry) => entry.who !== who);
  }

  #giveSlots(): void {
    const holders = this.#entries.filter(({ hasSlot }) => hasSlot).map(({ who }) => who);
    for (const entry of this.#entries) {
      if (!entry.hasSlot && this.#admits(entry.who, holders)) {
        entry.hasSlot = true;
        holders.push(entry.who);
      }
    }
  }
}
