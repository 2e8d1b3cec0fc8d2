import type { BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import type { World } from './world.ts';

const MINUTE = 60_000;

/** An area's part of a report: so many vehicles now, in 30 and in 60 minutes. */
const rowOf = (id: number, name: string, capacity: number | null, counts: readonly number[]) => {
  const [active_now = 0, active_after_30 = 0, active_after_60 = 0] = counts;
  const free = (count: number) => capacity && Math.max(0, capacity - count);
  return {
    ...{ area: { id, code: name, name, area_type: 'facility' }, capacity, source_active_now: null },
    ...{ active_now, active_after_30, active_after_60, ending_within_30: 1, ending_between_30_60: 4 },
    ...{ available_now: free(active_now), available_after_30: free(active_after_30) },
    ...{ available_after_60: free(active_after_60), occupancy_percent: capacity && 50 },
    excess_now: capacity && Math.max(0, active_now - capacity),
  };
};

/** A report as the service writes it, which the test changes as a day goes by. */
export const report = (at: number, occupied: number, capacity: number, isLate: boolean) => {
  const instant = new Date(at).toISOString();
  const centro = rowOf(1, 'Parcheggio Centro', capacity, [occupied, Math.max(9, occupied - 8), 5]);
  return {
    ...{ municipality: { code: 'L219', name: 'Torino' }, timezone: 'Europe/Rome', checked_at: instant },
    ...{ refresh_after_seconds: 60, selected_source: null, totals: centro },
    rows: [rowOf(2, 'Zona', null, [5, 5, 5]), rowOf(3, 'Autorimessa', 100, [5, 5, 5]), centro],
    capacity_totals: { ...centro, spaces_count: capacity },
    sources: [
      { id: 1, code: 'app', name: 'The app', active: true },
      { id: 2, code: 'old', name: 'The app before', active: false },
    ],
    source_freshness: [
      { source_id: 1, status: isLate ? 'stale' : 'fresh', last_successful_import_at: instant },
    ],
  };
};

/** A page at an evening of Rome, whose clock only the test moves on, and a service that says what the test wants. */
export async function evening(world: World, token: string, options: BrowserContextOptions = {}) {
  const start = Date.UTC(2026, 10, 23, 21, 30);
  const watched = await world.open('/board', options);
  const { page } = watched;
  const reality = { occupied: 40, capacity: 300, isLate: false, isAway: false, asked: 0, answered: 0 };
  let now = start;
  await page.route('**/api/v2/parking/reports/active-by-area', async (route) => {
    reality.asked += 1;
    if (reality.isAway) await route.abort('internetdisconnected');
    else await route.fulfill({ json: report(now, reality.occupied, reality.capacity, reality.isLate) });
    reality.answered += 1;
  });
  // A round trip of the page's own: what it asked before has arrived here, and what was answered before has been drawn.
  await page.route('**/fence', (route) => route.fulfill({ body: '' }));
  const fence = () => page.evaluate(async () => void (await (await fetch('/fence')).text()));
  await page.clock.install({ time: start });
  await page.clock.pauseAt(start + 1_000);
  await page.reload();
  await page.getByLabel(/Access token|Token di accesso/).fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'Parcheggio Centro' }).waitFor();
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      now += MINUTE;
      await page.clock.runFor(MINUTE);
      await fence();
      await expect.poll(() => reality.answered).toBe(reality.asked);
      await fence();
    }
  };
  /** How many points each part of the line of the day has. */
  const lines = () =>
    page
      .locator('.day .past')
      .evaluateAll((drawn) => drawn.map((line) => line.getAttribute('points')?.split(' ').length));
  return { ...watched, reality, pass, lines };
}
