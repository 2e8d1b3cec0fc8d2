import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { Random } from '../domain/random.ts';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { Service } from '../support/service.ts';

/** What an eviction may cost: calls that were set aside and never made, at most one in so many of the limit. */
const LOST_ONE_IN = 50;
/** A call may count for so much of a window longer than it must, and a millisecond for the clock's grain. */
const LONGER = 1.01;

interface Policy {
  readonly limit: number;
  readonly windowMs: number;
}

/** One client alone on its credential, and a clock that goes by steps: what may pass is then known to the call. */
export class LoneClient {
  readonly wrong: string[] = [];
  passed = 0;
  refused = 0;
  evictions = 0;
  readonly #policy: Policy;
  readonly #credential: TestCredential;
  readonly #service = new Service();
  /** Instants of the calls that passed, and of the evictions. */
  readonly #passes: number[] = [];
  readonly #evictions: number[] = [];

  private constructor(policy: Policy, credential: TestCredential) {
    this.#policy = policy;
    this.#credential = credential;
  }

  static async with(policy: Policy): Promise<LoneClient> {
    const credential = await issueCredential({
      rateLimit: policy.limit,
      rateWindowSeconds: policy.windowMs / 1000,
    });
    return new LoneClient(policy, credential);
  }

  /** Calls once, and judges the answer. Null when it passed, else the milliseconds that it has to wait. */
  async call(): Promise<number | null> {
    const now = Date.now();
    // It is refused for its content type once it is admitted, and costs no reading. Nobody admits it but the object.
    const { status, headers } = await this.#service.post(
      '/api/v2/parking/reports/active-by-area',
      'no JSON',
      this.#credential.headers,
    );
    const { limit, windowMs } = this.#policy;
    if (status === 415) {
      this.passed += 1;
      const used = this.#passes.filter((at) => now - at < windowMs).length;
      if (used >= limit) this.#blame(`passed as number ${used + 1} of a window`, now);
      this.#passes.push(now);
      return null;
    }
    this.refused += 1;
    const longMs = windowMs * LONGER + 1;
    const mayCount = this.#passes.filter((at) => now - at <= longMs).length;
    const mayBeLost =
      this.#evictions.filter((at) => now - at <= longMs).length * Math.floor(limit / LOST_ONE_IN);
    if (status !== 429 || mayCount + mayBeLost < limit) {
      this.#blame(`${status} although ${mayCount} count, and ${mayBeLost} may be lost`, now);
    }
    return Number(headers.get('Retry-After')) * 1000;
  }

  /** Calls until it is refused or has enough; then it may wait as long as the answer said. */
  async burst(random: Random): Promise<void> {
    let waitMs: number | null = null;
    for (let left = 1 + random.below(this.#policy.limit / 2 + 2); left > 0 && waitMs === null; left--) {
      waitMs = await this.call();
    }
    if (waitMs !== null && random.oneIn(2)) await this.obey(waitMs, random.oneIn(2));
  }

  /** Waits as long as the answer said, and has to pass, whether its object has been evicted meanwhile or not. */
  async obey(waitMs: number, evicted: boolean): Promise<void> {
    vi.setSystemTime(Date.now() + waitMs);
    if (evicted) await this.evict();
    if ((await this.call()) !== null)
      this.#blame(`refused again after ${waitMs} ms, evicted: ${evicted}`, Date.now());
  }

  async evict(): Promise<void> {
    this.evictions += 1;
    this.#evictions.push(Date.now());
    // One that nobody has called since it was evicted does not run.
    await evictDurableObject(env.CREDENTIALS.getByName(this.#credential.credentialId)).catch(() => {});
  }

  #blame(what: string, now: number): void {
    const { limit, windowMs } = this.#policy;
    this.wrong.push(`${what}, of ${limit} in ${windowMs} ms, at ${now - (this.#passes[0] ?? now)} ms`);
  }
}

/** Steps of the clock around everything that a window is divided by. */
export function randomStep(random: Random, windowMs: number): number {
  const grain = Math.max(1, Math.floor(windowMs / 100));
  const few = [0, 1, grain - 1, grain, windowMs / 10];
  return random.pick(random.oneIn(3) ? [windowMs / 2, windowMs - grain, windowMs - 1, windowMs] : few);
}
