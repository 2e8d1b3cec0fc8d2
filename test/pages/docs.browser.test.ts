import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import { buildClient } from '../../tools/clients/package.ts';
import { launchChromium, picture, type Watched, watchedPage } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import { START_MS, type StartedService, startService } from '../browser/started-service.ts';

const PACK_MS = 120_000;

let service: StartedService;
let accessToken: string;
let browser: Browser;
/** The built client. */
let packed: string;

beforeAll(async () => {
  service = await startService();
  accessToken = await issueToken();
  packed = mkdtempSync(join(tmpdir(), 'packed-'));
  buildClient(packed);
  browser = await launchChromium();
}, START_MS + PACK_MS);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(packed, { recursive: true, force: true });
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await watchedPage(browser, [service.address], { locale: 'en-GB', ...options });
  await watched.page.goto(service.address + path);
  return watched;
}

describe('The page for developers', () => {
  it('is there within a second, without a script, with every operation collapsed', async () => {
    const { page, strangers, complaints } = await open('/docs', { javaScriptEnabled: false });
    expect(await page.locator('script').count()).toBe(0);
    const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
    expect(await page.locator('.operation').count()).toBe(operations.length);
    expect(await page.locator('.operation[open]').count()).toBe(0);
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    await page.close();
  });

  it('begins with what a reader builds, then says what a negative and an error are', async () => {
    const { page } = await open('/docs');
    const texts = await page.locator('h2, h3').allInnerTexts();
    expect(texts.slice(0, 6)).toEqual([
      'I build a gate',
      'I build a parking meter',
      'I build an import',
      'I build a widget or a map',
      'Negative answers and errors',
      'Operations',
    ]);
    const { responseEnd, domContentLoadedEventEnd } = await page.evaluate(() => {
      const [loaded] = performance.getEntriesByType('navigation');
      return loaded as PerformanceNavigationTiming;
    });
    expect(domContentLoadedEventEnd - responseEnd).toBeLessThan(1_000);
    await page.close();
  });

  it('opens an operation by its address, with its fields, an example and its answers', async () => {
    const { page } = await open('/docs#checkPlate');
    const operation = page.locator('.operation', { has: page.locator('#checkPlate') });
    await operation.getByText('The plate as typed or read.').waitFor();
    expect(await operation.locator('td', { hasText: /^has_valid_entitlement$/ }).isVisible()).toBe(true);
    expect(await operation.locator('pre').first().innerText()).toContain('"plate": "DE 201 MO"');
    expect(await operation.locator('p b').allInnerTexts()).toEqual(
      expect.arrayContaining(['200', '429', '500']),
    );
    await page.close();
  });

  it('leads to operations and pages that are there', async () => {
    const { page } = await open('/docs');
    const links = await page
      .locator('a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const missing = await page.evaluate(
      (all) => all.filter((href) => href.startsWith('#') && document.getElementById(href.slice(1)) === null),
      links,
    );
    expect(missing).toEqual([]);
    for (const path of new Set(
      links.filter((href) => href.startsWith('/')).map((href) => href.split('#')[0]),
    )) {
      expect((await fetch(service.address + path)).status, path).toBe(200);
    }
    await page.close();
  });
});

describe('A screen reader', () => {
  it.each(['light', 'dark'] as const)(
    'stumbles over nothing of the page for developers: %s',
    async (colorScheme) => {
      const watched = await open('/docs', { colorScheme, viewport: { width: 320, height: 800 } });
      const { page } = watched;
      await page.locator('.operation summary').first().click();
      expect(await accessibilityIssues(watched)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await picture(page, `docs-${colorScheme}`);
      await page.close();
    },
  );

  it.each(RULE_PAGES)(
    'stumbles over nothing of %s, which fits a phone and shows its tables whole',
    async (path) => {
      const watched = await open(path, { viewport: { width: 320, height: 800 } });
      const { page, strangers, complaints } = watched;
      expect(await accessibilityIssues(watched)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await page.setViewportSize({ width: 1_280, height: 900 });
      const hidden = await page
        .locator('.scroll')
        .evaluateAll((tables) => tables.map((table) => table.scrollWidth - table.clientWidth));
      expect(hidden.filter((pixels) => pixels > 0)).toEqual([]);
      await picture(page, `rules${path.replaceAll('/', '-')}`);
      expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
      await page.close();
    },
  );
});
describe('The packed client', () => {
  it(
    'calls from a page, without a word from its policy',
    async () => {
      const { page, strangers, complaints } = await watchedPage(browser, [service.address]);
      await page.goto(`${service.address}/docs`);
      await page.route('**/packed/**', async (route) => {
        const path = new URL(route.request().url()).pathname.replace('/packed/', '');
        await route.fulfill({ contentType: 'text/javascript', path: join(packed, 'parking-client', path) });
      });
      // A text: an import that is written here would be made another one before it gets to the page.
      const came = await page.evaluate(`(async () => {
        const { createClient } = await import('/packed/index.js');
        const client = createClient({ baseUrl: location.origin, token: '${accessToken}' });
        const health = await client.getHealth();
        const checked = await client.checkPlate({ plate: 'ab 123-cd', area_code: 'P1', event: 'entry' });
        const wrong = await client.checkPlate({ plate: 'ab 123-cd', area_code: 'P9' });
        return [health.ok, checked.ok && checked.answer.plate, wrong.ok || wrong.code];
      })()`);
      expect(came).toEqual([true, 'AB123CD', 'AREA_NOT_FOUND']);
      expect(strangers).toEqual([]);
      // The refusal is a response that the console notes.
      expect(complaints).toEqual([expect.stringContaining('404')]);
      await page.close();
    },
    PACK_MS,
  );
});
/** A city with a facility, and a barrier's token. */
async function issueToken(): Promise<string> {
  await service.administer('PUT', '/api/v2/admin/configuration', {
    tenants: [{ code: 'acme', name: 'Acme Parking' }],
    municipalities: [
      {
        ...{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
        areas: [{ code: 'P1', name: 'Parcheggio Centro', area_type: 'facility' }],
      },
    ],
  });
  const scopes = ['plate_check'];
  const issued = await service.administer('POST', '/api/v2/admin/credentials', {
    ...{ tenant: 'acme', name: 'Barrier P1', scopes, municipalities: ['H501'] },
  });
  return String(issued.access_token);
}
