import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/instant.ts';
import { Random } from '../domain/random.ts';
import { RUN_SEED, shortOrThorough } from '../support/run-form.ts';
import { NaiveTitle, PLANS } from './naive-payments.ts';
import { aPayment, aTitle, CHECK, iso, NOW, payingCity } from './support.ts';

const { pay, reverse, importTitles, post, search } = payingCity();

const seeds = Array.from({ length: shortOrThorough(3, 200) }, (_, index) => RUN_SEED + index);

describe('Titles, payments, reversals and imports', () => {
  it.each(seeds)('come to what a naive model says (seed %i)', async (seed) => {
    await env.DB.batch([
      env.DB.prepare(`update municipalities set time_zone = 'UTC'`),
      env.DB.prepare(`update plans set duration = 'P30D' where code = '101'`),
    ]);
    const random = new Random(seed);
    const title = new NaiveTitle();
    const sent = new Map<string, Record<string, unknown>>();
    let now = NOW;
    let line: readonly { starts: number; ends: number }[] = [];
    const importLine = async () => {
      const periods = line.map(({ starts, ends }) => ({ starts_at: iso(starts), ends_at: iso(ends) }));
      await importTitles(aTitle('R-1', 'AB123CD', { periods }));
      title.import(line);
    };
    await importLine();
    for (let step = 0; step < 25; step++) {
      now += random.pick([1, MINUTE_MS, HOUR_MS, DAY_MS, 20 * DAY_MS]) + random.below(1_000);
      vi.setSystemTime(now);
      const kind = random.below(10);
      if (kind < 5) {
        const plan = random.pick(['101', '102', '103']);
        const cents = random.oneIn(5) ? 1 : (PLANS[plan]?.cents ?? 1);
        const again = random.oneIn(4) ? random.pick([...sent.keys(), 'new']) : 'new';
        const body =
          sent.get(again) ??
          aPayment({
            payment_id: `P-${step}`,
            codice_tariffa: plan,
            importo_eurocent: cents,
            collected_at: iso(now - random.pick([0, 1, MINUTE_MS, DAY_MS])),
          });
        const id = String(body.payment_id);
        const before = title.answers.get(id);
        const { status, body: answer } = await pay(body);
        expect(status).toBe(200);
        const expected = title.pay(
          id,
          String(body.codice_tariffa),
          Number(body.importo_eurocent),
          Date.parse(String(body.collected_at)),
        );
        expect(answer.already_recorded).toBe(sent.has(id));
        if (before !== 'reversed') expect([step, answer.result_code]).toEqual([step, expected]);
        sent.set(id, body);
      } else if (kind < 7) {
        const id = random.pick([...sent.keys(), 'never']);
        const { body } = await reverse({ payment_id: id, reversed_at: iso(now) });
        expect([step, body.result_code]).toEqual([step, title.reverse(id, now)]);
      } else if (kind < 9) {
        const own = title.paid.length > 0 && random.oneIn(2) ? [random.pick(title.paid)] : [];
        const gone = title.withdrawn.length > 0 && random.oneIn(2) ? [random.pick(title.withdrawn)] : [];
        const starts = now - random.below(40) * DAY_MS;
        const fresh = random.oneIn(2) ? [{ starts, ends: starts + (1 + random.below(30)) * DAY_MS }] : [];
        const [first] = [...own, ...gone, ...fresh];
        const ends = first && (random.oneIn(2) ? first.ends : first.starts + (1 + random.below(50)) * DAY_MS);
        line = first === undefined || ends === undefined ? [] : [{ starts: first.starts, ends }];
        await importLine();
      } else {
        await importLine();
      }
      const at = now - random.below(2) * random.below(HOUR_MS);
      const { body } = await post(CHECK, { plate: 'AB123CD', checked_at: iso(at) });
      const [found] = body.subscriptions as { reason_code: string }[];
      expect([step, found?.reason_code]).toEqual([step, title.reasonAt(at)]);
    }
    const { body } = await search({ from: iso(now - 30 * DAY_MS), until: iso(now + 1) });
    const states = (body.payments as { state: string }[]).map(({ state }) => state);
    const totals = body.totals as Record<string, { count: number }>;
    for (const [state, { count }] of Object.entries(totals)) {
      expect(states.filter((one) => one === state)).toHaveLength(count);
    }
  });
});
