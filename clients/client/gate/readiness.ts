import type { Failure } from '../result.ts';

/** The scope for the list. A credential without it may still check plates. */
const NO_RIGHT = 'SCOPE_NOT_ALLOWED';
/** The facility has no list, by its configuration: the service alone decides there. */
const NO_LIST_HERE = 'SERVICE_DISABLED';

/**
 * Whether a gate can decide by the service or by its list, why it has no fresh list, and the callers that
 * wait for one.
 */
export class Readiness {
  readonly #hasList: () => boolean;
  /** Whether the service has answered, and has not failed since. */
  #isServed = false;
  #isClosed = false;
  #listFailure: Failure | null = null;
  readonly #waiting = new Set<(isReady: boolean) => void>();

  /** @param hasList whether a list is held that counts now */
  constructor(hasList: () => boolean) {
    this.#hasList = hasList;
  }

  get isReady(): boolean {
    return this.#isServed || this.#hasList();
  }

  /** Why the list could not be refreshed; null once it was. */
  get listFailure(): Failure | null {
    return this.#listFailure;
  }

  /**
   * Whether the service refuses every call of this gate, so that waiting is useless until its settings
   * change.
   */
  get #isRefused(): boolean {
    return this.#listFailure?.failure === 'misconfigured' && this.#listFailure.code !== NO_RIGHT;
  }

  /** Takes note of whether the service has answered. */
  served(isServed: boolean): void {
    this.#isServed = isServed;
    this.look();
  }

  /** Checks again: there may be a list. */
  look(): void {
    if (this.isReady) this.#settle(true);
  }

  listCame(): void {
    this.#listFailure = null;
    this.served(true);
  }

  /**
   * Takes note of why the list could not be refreshed. If its settings have to change first, waiting ends.
   *
   * @returns the message that this gate will get no list by itself; null if that was said before or is not so
   */
  listFailed(failure: Failure): string | null {
    const before = this.#listFailure;
    this.#listFailure = failure;
    const { code } = failure;
    if (code === NO_LIST_HERE) this.served(true);
    else if (this.#isRefused && !this.isReady) this.#settle(false);
    const isFinal = failure.failure === 'misconfigured' || failure.failure === 'refused';
    if (!isFinal || code === before?.code || this.#hasList()) return null;
    return `This gate has no list (${code}): while the service is away, whenUnknown decides for every car. ${ADVICE}`;
  }

  /** Resolves with true as soon as the gate can decide; with false when it cannot in time, or is closed before. */
  wait(withinMs: number): Promise<boolean> {
    if (this.#isClosed || this.isReady) return Promise.resolve(!this.#isClosed);
    if (this.#isRefused) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (isReady: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve(isReady);
      };
      const timer = setTimeout(() => settle(false), withinMs);
      this.#waiting.add(settle);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#settle(false);
  }

  #settle(isReady: boolean): void {
    for (const settle of [...this.#waiting]) settle(isReady);
  }
}

/** What a person has to do, so that the gate gets its list. */
const ADVICE =
  'Its credential has to be in force, with the scope entitlement_list, for this area and this address, and the facility has to give lists: the office knows.';
