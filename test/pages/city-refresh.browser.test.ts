import { describe, expect, it } from 'vitest';
import { picture } from '../browser/chromium.ts';
import { LATE, publishCities, SILENT } from '../browser/public-cities.ts';
import { startWorld } from '../browser/world.ts';

const world = startWorld(publishCities);

/** In pixels. */
const WIDTHS = [320, 640, 1_280];

/** The page of Torino, whose clock only the test moves on. */
async function atTorino() {
  const { page } = await world.open('/');
  await page.clock.install();
  await page.goto(`${world.service.address}/cities/L219`);
  await page.waitForLoadState('networkidle');
  return page;
}

describe('The page of a city that is refreshed', () => {
  it('keeps the figures while there is no network, never as new, and goes on when it is back', async () => {
    const page = await atTorino();
    const tone = () =>
      page
        .locator('.area.available .status')
        .first()
        .evaluate((at) => getComputedStyle(at).color);
    const good = await tone();
    // Not from the browser's own cache either, which routes switch off.
    await page.route('**/cities/**', (route) => route.abort('internetdisconnected'));
    await page.clock.runFor(61_000);
    await page.getByText('New figures cannot be loaded.').waitFor();
    await page.getByText('300 free of 300').waitFor();
    expect(await tone()).not.toBe(good);
    await page.unroute('**/cities/**');
    await page.clock.runFor(600_000);
    await expect.poll(tone).toBe(good);
    expect(await page.getByText('New figures cannot be loaded.').count()).toBe(0);
  });

  it('keeps the focus where it was', async () => {
    const page = await atTorino();
    await page.getByRole('link', { name: 'Website' }).first().focus();
    await page.route('**/cities/**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace('<b>300</b>', '<b>299</b>') });
    });
    await page.clock.runFor(61_000);
    await page.getByText('299 free of 300').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Website');
  });

  it.each(['/cities/L219', '/embed/L219'])('moves nothing when a notice comes and goes: %s', async (path) => {
    const { page } = await world.open('/');
    let city: string | null = 'L219';
    await page.route(`**${path}*`, async (route) => {
      const { search } = new URL(route.request().url());
      const address = world.service.address + path.replace('L219', city ?? '') + search;
      if (city === null) await route.abort('internetdisconnected');
      else await route.fulfill({ response: await route.fetch({ url: address }) });
    });
    const turnsTo = async (next: string | null, isThere: (notice: string) => boolean) => {
      city = next;
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await expect.poll(async () => isThere(await page.locator('#notice').innerText())).toBe(true);
    };
    const places = () =>
      page
        .locator('#live, .area')
        .evaluateAll((all) => all.map((at) => [at.getBoundingClientRect().y, at.clientHeight]));
    for (const language of ['en', 'de', 'fr', 'it']) {
      for (const width of WIDTHS) {
        city = 'L219';
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${world.service.address}${path}?lang=${language}`);
        const before = await places();
        const look = `${language}, ${width} pixels`;
        await turnsTo(LATE, (notice) => notice !== '');
        const late = await page.locator('#notice').innerText();
        expect(await places(), look).toEqual(before);
        await turnsTo(null, (notice) => notice !== late);
        expect(await places(), look).toEqual(before);
        await turnsTo('L219', (notice) => notice === '');
        expect(await places(), look).toEqual(before);
        // Without figures the areas are smaller, and still begin where they did.
        await turnsTo(SILENT, (notice) => notice !== '');
        expect((await places())[1]?.[0], look).toBe(before[1]?.[0]);
        await picture(page, `silent-${path.replaceAll(/[^\w]/g, '-')}-${language}-${width}`);
      }
    }
  });
});
