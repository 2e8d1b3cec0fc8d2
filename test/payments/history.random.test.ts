import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { Random } from '../domain/random.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { NaiveTitle, PLANS } from './naive-payments.ts';
import { aPayment, aTitle, CHECK, iso, NOW, payingCity } from './support.ts';

const { pay, reverse, importTitles, post, search } = payingCity();

const seeds = Array.from({ length: shortOrThorough(3, 100) }, (_, index) => RUN_SEED + index);
const STEPS = 25;

/** A title, what happens to it, and the naive model of both. */
class History {
  readonly #random: Random;
  readonly #title = new NaiveTitle();
  readonly #sent = new Map<string, Record<string, unknown>>();
  #now = NOW;
  #step = 0;
  #line: readonly { starts: number; ends: number }[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** The line as it is: sent again, if nothing has changed it. */
  async importLine(): Promise<void> {
    const periods = this.#line.map(({ starts, ends }) => ({ starts_at: iso(starts), ends_at: iso(ends) }));
    await importTitles(aTitle('R-1', 'AB123CD', { periods }));
    this.#title.import(this.#line);
  }

  async takeStep(step: number): Promise<void> {
    const random = this.#random;
    this.#step = step;
    this.#now += random.pick([1, MINUTE_MS, HOUR_MS, DAY_MS, 20 * DAY_MS]) + random.below(1_000);
    vi.setSystemTime(this.#now);
    const kind = random.below(10);
    if (kind < 5) {
      await this.#pay();
    } else if (kind < 7) {
      await this.#reverse();
    } else {
      if (kind < 9) this.#changeLine();
      await this.importLine();
    }
    await this.#check();
  }

  /** What the search lists is what its totals count. */
  async expectTotals(): Promise<void> {
    const { body } = await search({ from: iso(this.#now - 30 * DAY_MS), until: iso(this.#now + 1) });
    const states = (body.payments as { state: string }[]).map(({ state }) => state);
    const totals = body.totals as Record<string, { count: number }>;
    for (const [state, { count }] of Object.entries(totals)) {
      expect(states.filter((one) => one === state)).toHaveLength(count);
    }
  }

  async #pay(): Promise<void> {
    const body = this.#payment();
    const id = String(body.payment_id);
    const before = this.#title.answers.get(id);
    const { status, body: answer } = await pay(body);
    expect(status).toBe(200);
    const expected = this.#title.pay(
      id,
      String(body.codice_tariffa),
      Number(body.importo_eurocent),
      Date.parse(String(body.collected_at)),
    );
    expect(answer.already_recorded).toBe(this.#sent.has(id));
    if (before !== 'reversed') this.#expect(answer.result_code, expected);
    this.#sent.set(id, body);
  }

  /** A new one, or one that was sent before. */
  #payment(): Record<string, unknown> {
    const random = this.#random;
    const plan = random.pick(['101', '102', '103']);
    const cents = random.oneIn(5) ? 1 : (PLANS[plan]?.cents ?? 1);
    const again = random.oneIn(4) ? random.pick([...this.#sent.keys(), 'new']) : 'new';
    return (
      this.#sent.get(again) ??
      aPayment({
        payment_id: `P-${this.#step}`,
        codice_tariffa: plan,
        importo_eurocent: cents,
        collected_at: iso(this.#now - random.pick([0, 1, MINUTE_MS, DAY_MS])),
      })
    );
  }

  async #reverse(): Promise<void> {
    const id = this.#random.pick([...this.#sent.keys(), 'never']);
    const { body } = await reverse({ payment_id: id, reversed_at: iso(this.#now) });
    this.#expect(body.result_code, this.#title.reverse(id, this.#now));
  }

  /** To a period of any start, that of a paid one too; or to none. */
  #changeLine(): void {
    const random = this.#random;
    const { paid } = this.#title;
    const own = paid.length > 0 && random.oneIn(2) ? [random.pick(paid)] : [];
    const starts = this.#now - random.below(40) * DAY_MS;
    const fresh = random.oneIn(2) ? [{ starts, ends: starts + (1 + random.below(30)) * DAY_MS }] : [];
    const [first] = [...own, ...fresh];
    const ends = first && (random.oneIn(2) ? first.ends : first.starts + (1 + random.below(50)) * DAY_MS);
    this.#line = first === undefined || ends === undefined ? [] : [{ starts: first.starts, ends }];
  }

  async #check(): Promise<void> {
    const at = this.#now - this.#random.below(2) * this.#random.below(HOUR_MS);
    const { body } = await post(CHECK, { plate: 'AB123CD', checked_at: iso(at) });
    const [found] = body.subscriptions as { reason_code: string }[];
    this.#expect(found?.reason_code, this.#title.reasonAt(at));
  }

  #expect(found: unknown, expected: unknown): void {
    expect([this.#step, found]).toEqual([this.#step, expected]);
  }
}

describe('Titles, payments, reversals and imports', () => {
  it.each(seeds)('come to what a naive model says (seed %i)', async (seed) => {
    await env.DB.batch([
      env.DB.prepare(`update municipalities set time_zone = 'UTC'`),
      env.DB.prepare(`update plans set duration = 'P30D' where code = '101'`),
    ]);
    const history = new History(seed);
    await history.importLine();
    for (let step = 0; step < STEPS; step++) await history.takeStep(step);
    await history.expectTotals();
  });
});
