import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, picture, watchedPage } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import { OtherSite } from '../browser/other-site.ts';
import { publishCities } from '../browser/public-cities.ts';
import { START_MS, type StartedService, startService } from '../browser/started-service.ts';

let service: StartedService;
let site: OtherSite;
let browser: Browser;

beforeAll(async () => {
  service = await startService();
  await publishCities(service);
  site = await OtherSite.start();
  browser = await launchChromium();
}, START_MS);

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

const script = (file = 'v1.js') => `<script type="module" src="${service.address}/widget/${file}"></script>`;

/** Opens a page of another origin, whose policy allows the service's script and frame and nothing else. */
async function paste(body: string, { policy = true, language = 'en' } = {}) {
  const { address } = service;
  site.policy = policy
    ? `default-src 'none'; script-src ${address}; frame-src ${address}; style-src 'self'`
    : '';
  site.page = `<!doctype html><html lang="${language}"><title>A page</title>${body}</html>`;
  const watched = await watchedPage(browser, [address, site.address]);
  await watched.page.goto(`${site.address}/`);
  return watched;
}

const frameOf = (page: Page, index = 0) => page.locator('parking-occupancy iframe').nth(index);
const insideOf = (page: Page, index = 0) => frameOf(page, index).contentFrame();

const showsCity = (page: Page, name: RegExp, index = 0) =>
  insideOf(page, index).getByRole('heading', { name }).waitFor();

/** How high the frame is, and what it shows. */
async function heights(page: Page) {
  const inside = await insideOf(page)
    .locator('html')
    .evaluate((root) => Math.ceil(root.getBoundingClientRect().height));
  return { frame: (await frameOf(page).boundingBox())?.height, inside };
}

/** What is asked of the service for the frame. */
const addressOf = async (page: Page) => new URL((await frameOf(page).getAttribute('src')) ?? '');

describe('The widget in a page of another origin', () => {
  it('frames a city as high as what it shows, at every width, under a strict policy', async () => {
    const { page, strangers, complaints } = await paste(
      `${script()}<main><h1>A page</h1><parking-occupancy municipality="L219"><b>Before</b></parking-occupancy></main>`,
    );
    await insideOf(page).getByText('Parcheggio Centro').waitFor();
    await expect.poll(async () => (await heights(page)).frame ?? 0).toBeGreaterThan(100);
    for (const width of [1_200, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(async () => {
          const { frame, inside } = await heights(page);
          return frame === inside;
        })
        .toBe(true);
      await picture(page, `widget-${width}`);
    }
    expect(await page.locator('b').isVisible()).toBe(false);
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    // What is in the frame, its own tests judge.
    expect(await accessibilityIssues({ page })).toEqual(['frame-tested: parking-occupancy iframe']);
    await page.close();
  });

  it('hands its attributes on to the frame', async () => {
    const { page } = await paste(
      `${script()}<parking-occupancy base="${service.address}/" municipality="L219" area-type="facility" areas="P1, P2" lang="it-CH" theme="dark"></parking-occupancy>`,
    );
    const { origin, pathname, searchParams } = await addressOf(page);
    expect([origin, pathname]).toEqual([service.address, '/embed/L219']);
    expect([...searchParams]).toEqual([
      ['lang', 'it'],
      ['area_type', 'facility'],
      ['theme', 'dark'],
      ['area', 'P1'],
      ['area', 'P2'],
    ]);
    expect(await frameOf(page).getAttribute('title')).toBe('Posti liberi');
    await page.close();
  });

  it('takes the language of the page, and its own origin where the base is no address', async () => {
    const { page } = await paste(
      `${script()}<parking-occupancy base="javascript:alert(1)" municipality="a/b?c"></parking-occupancy>`,
      { language: 'de' },
    );
    const { href } = await addressOf(page);
    expect(href).toBe(`${service.address}/embed/a%2Fb%3Fc?lang=de`);
    await page.close();
  });

  it('shows another city when its attributes change, once for all of them', async () => {
    const { page } = await paste(`${script()}<parking-occupancy municipality="L219"></parking-occupancy>`);
    await showsCity(page, /Torino/);
    const framed: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/embed/')) framed.push(new URL(request.url()).pathname);
    });
    await page.locator('parking-occupancy').evaluate((element) => {
      element.setAttribute('municipality', 'F205');
      element.setAttribute('municipality', 'A944');
      element.setAttribute('area-type', 'street');
    });
    await showsCity(page, /Bologna/);
    expect(framed).toEqual(['/embed/A944']);
    await page.close();
  });

  it('keeps the page’s own content where there is nothing to show', async () => {
    const { page } = await paste(
      `${script()}<parking-occupancy municipality="NONE"><a href="#">Car parks</a></parking-occupancy>
       <parking-occupancy><a href="#">All car parks</a></parking-occupancy>`,
    );
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link').allInnerTexts()).toEqual(['Car parks', 'All car parks']);
    expect(await page.getByRole('link').first().isVisible()).toBe(true);
    await page.close();
  });

  it('takes no height from any other window or origin, and none that makes no sense', async () => {
    const { page } = await paste(
      `${script()}<parking-occupancy municipality="L219"></parking-occupancy><iframe id="other" src="/other"></iframe>`,
      { policy: false },
    );
    await expect.poll(async () => (await heights(page)).frame ?? 0).toBeGreaterThan(100);
    const before = await heights(page);
    const message = { 'parking-occupancy-height': 4_000 };
    await page.evaluate((sent) => {
      postMessage(sent, '*');
      const other = document.getElementById('other') as HTMLIFrameElement;
      const told = other.contentDocument?.createElement('script');
      if (told) told.text = `parent.postMessage(${JSON.stringify(sent)}, '*')`;
      if (told) other.contentDocument?.body.append(told);
      // A browser says by itself who sends a message: a forged one says that it is the frame.
      const frame = document.querySelector('parking-occupancy')?.shadowRoot?.querySelector('iframe');
      const source = frame?.contentWindow ?? null;
      const forged = (origin: string, data: unknown) =>
        dispatchEvent(new MessageEvent('message', { source, origin, data }));
      forged('https://evil.test', sent);
      for (const height of [-1, 0, Number.NaN, 1e9, '4000', null]) {
        forged(new URL(frame?.src ?? '').origin, { 'parking-occupancy-height': height });
      }
      forged(new URL(frame?.src ?? '').origin, null);
    }, message);
    await page.waitForLoadState('networkidle');
    expect((await heights(page)).frame).toBe(before.frame);
    await page.close();
  });

  it('is there twice with two cities, from a script that is loaded twice', async () => {
    const { page, complaints } = await paste(
      `${script()}${script('v1.js?again')}<parking-occupancy municipality="L219"></parking-occupancy>
       <parking-occupancy municipality="A944" lang="fr"></parking-occupancy>`,
    );
    await showsCity(page, /Torino/, 0);
    await showsCity(page, /Bologna/, 1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('may come and go: it hears nothing once it has left the page, and shows its city where it is put back', async () => {
    const { page } = await paste(`${script()}<parking-occupancy municipality="L219"></parking-occupancy>`);
    await showsCity(page, /Torino/);
    await page.locator('parking-occupancy').evaluate((element) => {
      element.remove();
      document.body.append(element);
    });
    await showsCity(page, /Torino/);
    await expect.poll(async () => (await heights(page)).frame ?? 0).toBeGreaterThan(100);
    await page.close();
  });
});
