import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';

/** An eviction that takes longer has met a call that hangs. */
const MAX_MS = 1_000;

/**
 * The calls of one credential, between which its object can be evicted. The runtime evicts none that is at work, so
 * that calls wait a moment before an eviction, and it for those under way.
 */
export class EvictableCalls {
  readonly #credentialId: string;
  #underWay = 0;
  #isIdle = Promise.withResolvers<void>();
  #evicting: Promise<void> | null = null;
  #evictions = 0;

  constructor(credentialId: string) {
    this.#credentialId = credentialId;
  }

  get evictions(): number {
    return this.#evictions;
  }

  async call<Result>(run: () => Promise<Result>): Promise<Result> {
    // The runtime looks at its timers when there is nothing else to do: without a rest, calls leave no eviction a turn.
    await scheduler.wait(1);
    while (this.#evicting !== null) await this.#evicting;
    this.#underWay += 1;
    try {
      return await run();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#isIdle.resolve();
    }
  }

  /** Evicts the object once no call is under way. */
  async evict(): Promise<void> {
    this.#evicting = this.#evictWhenIdle().finally(() => {
      this.#evicting = null;
    });
    await this.#evicting;
  }

  async #evictWhenIdle(): Promise<void> {
    this.#isIdle = Promise.withResolvers();
    if (this.#underWay > 0) await this.#isIdle.promise;
    const evicted = evictDurableObject(env.CREDENTIALS.getByName(this.#credentialId)).then(
      () => 1,
      // One that nobody has called since it was evicted does not run.
      () => 0,
    );
    this.#evictions += await Promise.race([evicted, scheduler.wait(MAX_MS).then(() => 0)]);
  }
}
