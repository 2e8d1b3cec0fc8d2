import type { BrowserContextOptions } from 'playwright-core';
import { expect } from 'vitest';
import type { World } from './world.ts';

const REPORT = '/api/v2/parking/reports/active-by-area';
const MINUTE = 60_000;

/** An area where five vehicles stay. */
const quietRow = (id: number, name: string, capacity: number | null) => {
  const free = capacity === null ? null : capacity - 5;
  return {
    ...{ area: { id, code: name, name, area_type: 'facility' }, capacity, source_active_now: null },
    ...{
      active_now: 5,
      active_after_30: 5,
      active_after_60: 5,
      ending_within_30: 0,
      ending_between_30_60: 0,
    },
    ...{ available_now: free, available_after_30: free, available_after_60: free },
    ...{ excess_now: capacity === null ? null : 0, occupancy_percent: capacity === null ? null : 5 },
  };
};

/** A report as the service writes it, which the test changes as a day goes by. */
export const report = (at: number, occupied: number, capacity: number, isLate: boolean) => {
  const instant = new Date(at).toISOString();
  const free = (count: number) => Math.max(0, capacity - count);
  const counters = { active_now: occupied, active_after_30: Math.max(9, occupied - 8), active_after_60: 5 };
  const ending = { ending_within_30: 1, ending_between_30_60: 4 };
  const spaces = {
    ...{
      available_now: free(occupied),
      available_after_30: free(Math.max(9, occupied - 8)),
      available_after_60: free(5),
    },
    ...{ excess_now: Math.max(0, occupied - capacity), occupancy_percent: 50 },
  };
  return {
    ...{ municipality: { code: 'L219', name: 'Torino' }, timezone: 'Europe/Rome', checked_at: instant },
    ...{ refresh_after_seconds: 60, selected_source: null },
    rows: [
      quietRow(2, 'Zona', null),
      quietRow(3, 'Autorimessa', 100),
      {
        area: { id: 1, code: 'P1', name: 'Parcheggio Centro', area_type: 'facility' },
        ...{ capacity, ...counters, ...ending, ...spaces, source_active_now: null },
      },
    ],
    totals: { ...counters, ...ending },
    capacity_totals: { ...counters, ...spaces, spaces_count: capacity },
    sources: [{ id: 1, code: 'app', name: 'The app', active: true }],
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
  await page.route(`**${REPORT}`, async (route) => {
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
  const lines = () =>
    page
      .locator('.day .past')
      .evaluateAll((drawn) => drawn.map((line) => line.getAttribute('points')?.split(' ').length));
  return { ...watched, reality, pass, lines };
}
