/** Whether a gate can decide by the service or by its list, and who waits for that. */
export class Readiness {
  readonly #hasList: () => boolean;
  /** Whether the service has answered, and has not failed since. */
  #isServed = false;
  #isClosed = false;
  readonly #waiting: ((isReady: boolean) => void)[] = [];

  /** @param hasList whether a list is held that counts now */
  constructor(hasList: () => boolean) {
    this.#hasList = hasList;
  }

  get isReady(): boolean {
    return this.#isServed || this.#hasList();
  }

  /** Takes note of whether the service has answered. */
  served(isServed: boolean): void {
    this.#isServed = isServed;
    this.look();
  }

  /** Looks again: there may be a list. */
  look(): void {
    if (this.isReady) this.#settle(true);
  }

  /** Resolves with true as soon as the gate can decide, with false when it is closed before. */
  wait(): Promise<boolean> {
    if (this.#isClosed || this.isReady) return Promise.resolve(!this.#isClosed);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    this.#isClosed = true;
    this.#settle(false);
  }

  #settle(isReady: boolean): void {
    for (const resolve of this.#waiting.splice(0)) resolve(isReady);
  }
}
