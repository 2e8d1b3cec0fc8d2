import type { Route } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { failurePage } from '../../src/public/pages/failure-page.ts';
import { readAsked } from '../../src/public/pages/page.ts';
import { picture, type Watched, watchedPage } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import { OtherSite } from '../browser/other-site.ts';
import { publishCities } from '../browser/public-cities.ts';
import { startWorld } from '../browser/world.ts';
import { shortOrThorough } from '../support/run-form.ts';

let site: OtherSite;
const world = startWorld(async (service) => {
  await publishCities(service);
  site = await OtherSite.start();
});
afterAll(() => site?.close());

/** A page that may ask the service and another site, which it shows. */
async function openSite(body: string): Promise<Watched> {
  site.page = `<!doctype html><title>A page</title>${body}`;
  const watched = await watchedPage(world.browser, [world.service.address, site.address]);
  await watched.page.goto(`${site.address}/`);
  return watched;
}

/** A path where the page is shown that stands in for one that cannot be shown. */
const FAILING = '/cities/FAILING';

/** With the headers of a page of the service: its style is taken by their policy alone. */
async function fail(route: Route): Promise<void> {
  const request = new Request(route.request().url());
  const response = await route.fetch();
  await route.fulfill({ response, status: 500, body: await failurePage(readAsked(request), 500) });
}

const PAGES = [
  '/',
  '/?q=none',
  '/cities/L219',
  '/cities/L219?q=none',
  '/cities/L219/data',
  '/embed/L219',
  '/cities/NONE',
  FAILING,
];
/** In pixels. */
const WIDTHS = [320, 640, 1_280];

const { open } = world;

describe('The pages', () => {
  it('lead from a city to one of its streets, without a script', async () => {
    const { page, strangers, complaints } = await open('/', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Torino' }).click();
    await page.getByRole('heading', { name: 'Parking in Torino', level: 1 }).waitFor();
    await page.getByText('300 free of 300').waitFor();
    for (const said of ['Piazza Centrale 1', '2 € l’ora', '2.10 m', 'Directions']) {
      expect(await page.getByText(said).first().isVisible(), said).toBe(true);
    }
    expect(await page.getByRole('button', { name: 'Near me' }).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'On street' }).click();
    await page.waitForLoadState();
    expect(await page.locator('.area h2 > bdi').allInnerTexts()).toEqual(['Via Roma', 'x'.repeat(120)]);
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByText('40 frei von 40').waitFor();
    await page.goto(`${world.service.address}/cities/milano?lang=en`);
    await page.getByRole('searchbox', { name: 'Street or car park' }).fill('garage 7');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForLoadState();
    expect(await page.locator('.area h2 > bdi').allInnerTexts()).toEqual(['Garage 7']);
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
  });

  it.each([
    [1_280, 320],
    [390, 420],
  ])('show the first area of a city at the top, %i pixels wide', async (width, most) => {
    for (const path of ['/cities/L219', '/cities/F205']) {
      for (const language of ['en', 'de', 'fr', 'it']) {
        const { page } = await open(`${path}?lang=${language}`, { viewport: { width, height: 844 } });
        const top = (await page.locator('.area').first().boundingBox())?.y;
        expect(top, `${path} in ${language}`).toBeLessThanOrEqual(most);
      }
    }
  });

  it('sort by distance where the browser tells the place, and ask nothing of anybody for it', async () => {
    const opened = await open('/cities/L219?sort=name', {
      geolocation: { latitude: 45.066, longitude: 7.685 },
      permissions: ['geolocation'],
    });
    const { page, complaints } = opened;
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.getByRole('button', { name: 'Near me', pressed: false }).click();
    await page.getByRole('button', { name: 'Near me', pressed: true }).waitFor();
    const names = () => page.locator('.area h2 > bdi').allInnerTexts();
    expect(await names()).toEqual(['Via Roma', 'Parcheggio Centro', 'x'.repeat(120)]);
    expect(await page.locator('.area h2').first().innerText()).toMatch(/0\.079 km/);
    expect([asked, complaints]).toEqual([[], []]);
    expect(await accessibilityIssues(opened)).toEqual([]);
  });

  it('say so where the browser does not tell the place', async () => {
    const { page } = await open('/cities/L219');
    await page.getByRole('button', { name: 'Near me' }).click();
    await page.getByText('Your browser does not share your location.').waitFor();
    expect(await page.getByRole('button', { name: 'Near me', pressed: false }).count()).toBe(1);
  });

  it('offer a snippet that works in an empty page on another origin', async () => {
    const { page } = await open('/cities/L219/data?lang=it');
    const snippet = await page.getByLabel('Widget per la tua pagina').inputValue();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copia' }).first().click();
    await page.getByRole('button', { name: 'Copiato' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(snippet);
    const other = await openSite(snippet);
    const frame = other.page.locator('parking-occupancy iframe').contentFrame();
    await frame.getByRole('heading', { name: /Torino/ }).waitFor();
    expect([other.strangers, other.complaints]).toEqual([[], []]);
  });

  /** Every language and theme of each, a width in turn; in the thorough run every width. */
  const LOOKS = (['en', 'de', 'fr', 'it'] as const).flatMap((language, place) =>
    (['light', 'dark'] as const).flatMap((colorScheme, turn) =>
      shortOrThorough([WIDTHS[(place + turn) % WIDTHS.length] ?? 320], WIDTHS).map((width) => ({
        ...{ language, colorScheme, width },
      })),
    ),
  );

  it.each(PAGES)('are readable in each language, theme and width, and quiet: %s', async (path) => {
    const opened = await open('/');
    const { page, complaints } = opened;
    await page.route(/FAILING/, fail);
    for (const { language, colorScheme, width } of LOOKS) {
      const look = `${path.replaceAll(/[^\w]/g, '-')}-${language}-${colorScheme}-${width}`;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${world.service.address}${path}${path.includes('?') ? '&' : '?'}lang=${language}`);
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), look).toBeLessThanOrEqual(
        width,
      );
      expect(await accessibilityIssues(opened), look).toEqual([]);
      await picture(page, look);
    }
    // The browser says itself that a page is not found, or has failed.
    expect(complaints.filter((complaint) => !/\b(404|500)\b/.test(complaint))).toEqual([]);
  });

  it.each(['print', 'forced colours', 'zoomed to 400 %', 'reduced motion'])(
    'lose nothing: %s',
    async (how) => {
      const { page } = await open('/cities/L219', {
        ...(how === 'forced colours' && { forcedColors: 'active' as const }),
        ...(how === 'reduced motion' && { reducedMotion: 'reduce' as const }),
        // What 1,280 pixels are at 400 %.
        ...(how === 'zoomed to 400 %' && { viewport: { width: 320, height: 256 } }),
      });
      if (how === 'print') await page.emulateMedia({ media: 'print' });
      await page.getByText('300 free of 300').waitFor();
      expect(await page.locator('.area').count()).toBe(3);
      expect(await page.getByText('Piazza Centrale 1').isVisible()).toBe(true);
      // On paper nothing can be followed.
      expect(await page.getByText('Directions').first().isVisible()).toBe(how !== 'print');
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
      await picture(page, how.replaceAll(' ', '-'));
    },
  );
});
