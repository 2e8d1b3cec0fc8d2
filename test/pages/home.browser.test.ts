import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, picture, type Watched, watchedPage } from '../browser/chromium.ts';
import { OtherSite } from '../browser/contract-service.ts';
import { accessibilityIssues, layoutShifts } from '../browser/embedded.ts';
import { START_MS, type StartedService, startService } from '../browser/started-service.ts';

const LIST = '/api/v2/public/municipalities';

let service: StartedService;
let site: OtherSite;
let browser: Browser;

beforeAll(async () => {
  service = await startService();
  await publish();
  site = await OtherSite.start();
  browser = await launchChromium();
}, START_MS);

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

/** Two cities that are public, and one that is not. */
async function publish(): Promise<void> {
  const city = (code: string, name: string, isPublic: boolean) => ({
    ...{ code, name, timezone: 'Europe/Rome', tenant: 'acme', services: { public_occupancy: isPublic } },
    areas: [
      { code: 'P1', name: 'Parcheggio Centro', area_type: 'facility', capacity: 300 },
      { code: 'S1', name: 'Via Roma', area_type: 'street', capacity: 40 },
    ],
  });
  await service.administer('PUT', '/api/v2/admin/configuration', {
    tenants: [{ code: 'acme', name: 'Acme Parking' }],
    municipalities: [
      city('A944', 'Bologna', true),
      city('H501', 'Roma', false),
      city('L219', 'Torino', true),
    ],
  });
}

async function open(options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await watchedPage(browser, [service.address], { locale: 'en-GB', ...options });
  await watched.page.goto(`${service.address}/`);
  await watched.page.getByRole('heading', { name: 'Torino' }).waitFor();
  return watched;
}

describe('The page of the public municipalities', { timeout: 60_000 }, () => {
  it('shows each with its widget, no other, and loads nothing from anywhere else', async () => {
    const { page, strangers, complaints } = await open();
    await page.getByRole('heading', { name: 'Bologna' }).waitFor();
    expect(await page.locator('#cities').getByRole('heading').allInnerTexts()).toEqual([
      'Bologna: free parking',
      'Torino: free parking',
    ]);
    expect(await page.getByText('300 free of 300').count()).toBe(2);
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    await page.close();
  });

  it('leads to the reference', async () => {
    const { page } = await open();
    await page.getByRole('link', { name: 'For developers: the reference' }).click();
    await page.locator('.opblock').first().waitFor();
    await page.close();
  });

  it('speaks Italian to who prefers it', async () => {
    const { page } = await open({ locale: 'it-IT' });
    await page.getByRole('heading', { name: 'Posti liberi, adesso', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Torino: posti liberi' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('it');
    await page.close();
  });

  it('says that the list cannot be loaded, and shows it when it can', async () => {
    const { page } = await watchedPage(browser, [service.address], { locale: 'en-GB' });
    await page.clock.install();
    await page.route(`**${LIST}`, (route) => route.abort());
    await page.goto(`${service.address}/`);
    await page.getByText('The list of municipalities cannot be loaded right now.').waitFor();
    await page.unroute(`**${LIST}`);
    await page.clock.runFor(5_000);
    await page.getByRole('heading', { name: 'Torino' }).waitFor();
    await page.close();
  });

  it('keeps the figures while the service is away, and goes on when it is back', async () => {
    const { page } = await watchedPage(browser, [service.address], { locale: 'en-GB' });
    await page.clock.install();
    await page.goto(`${service.address}/`);
    await page.getByRole('heading', { name: 'Torino' }).waitFor();
    await page.route('**/occupancy', (route) => route.abort());
    await page.clock.runFor(61_000);
    await page.getByText('New figures cannot be loaded right now.').first().waitFor();
    expect(await page.getByText('300 free of 300').count()).toBe(2);
    await page.unroute('**/occupancy');
    const retries = page.getByRole('button', { name: 'Try again' });
    await expect.poll(() => retries.count()).toBe(2);
    await retries.last().click();
    await expect.poll(() => retries.count()).toBe(1);
    await retries.click();
    await expect.poll(() => retries.count()).toBe(0);
    await page.close();
  });

  it('offers a snippet that works in an empty page on another origin', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByLabel('Municipality').selectOption('Torino');
    await page.locator('#area-type').selectOption('Car parks');
    await page.getByLabel('Language').selectOption('Italiano');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    const snippet = await page.evaluate(() => navigator.clipboard.readText());
    expect(snippet).toBe(await page.getByLabel('The lines to copy').inputValue());
    await page.close();

    site.page = `<!doctype html><title>Empty</title>${snippet}`;
    const other = await watchedPage(browser, [service.address, site.address]);
    await other.page.goto(`${site.address}/`);
    await other.page.getByRole('heading', { name: 'Torino: posti liberi' }).waitFor();
    expect(await other.page.locator('.name').allInnerTexts()).toEqual(['Parcheggio Centro']);
    expect([other.strangers, other.complaints]).toEqual([[], []]);
    await other.page.close();
  });

  const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [360, 1_280].map((width) => ({ colorScheme, width })),
  );

  it.each(LOOKS)(
    'is readable in $colorScheme colours, $width pixels wide, and nothing in it moves',
    async (look) => {
      const { colorScheme, width } = look;
      const opened = await open({ colorScheme, viewport: { width, height: 900 } });
      await picture(opened.page, `home-${colorScheme}-${width}`);
      const shifts = await layoutShifts(opened.page);
      expect(await accessibilityIssues(opened)).toEqual([]);
      expect(await shifts()).toEqual([]);
      const overflow = await opened.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await opened.page.close();
    },
  );
});
