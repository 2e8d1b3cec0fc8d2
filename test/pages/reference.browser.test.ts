import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TEXT } from '../../src/base/errors/error-codes.ts';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import { buildClient } from '../../tools/clients/package.ts';
import { launchChromium, picture, type Watched, watchedPage } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import { START_MS, type StartedService, startService } from '../browser/started-service.ts';

const TEST_MS = 60_000;
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

describe('The reference page', () => {
  it(
    'opens, shows every section, and loads nothing from anywhere else',
    async () => {
      const { page, strangers, complaints } = await open();
      const tags = await page.locator('.opblock-tag').evaluateAll((all) => all.map((tag) => tag.dataset.tag));
      expect(tags).toEqual(description.tags.map(({ name }) => name));
      const operations = Object.values(description.paths).flatMap((item) => Object.keys(item));
      expect(await page.locator('.opblock').count()).toBe(operations.length);
      expect(await page.locator('.errors-wrapper').count()).toBe(0);
      await picture(page, 'reference-opened');
      expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
      await page.close();
    },
    TEST_MS,
  );

  it(
    'tries an operation out against the running service',
    async () => {
      const { page, strangers, complaints } = await open();
      await authorize(page);
      const operation = page.locator('#operations-Plate_check-checkPlate');
      await operation.locator('.opblock-summary-control').click();
      const body = operation.locator('textarea.body-param__text');
      await body.fill(JSON.stringify({ plate: 'ab 123-cd', area_code: 'P1', event: 'entry' }));
      await operation.locator('button.execute').click();
      const live = operation.locator('.live-responses-table');
      await live.waitFor();
      await picture(page, 'reference-tried');
      expect(await live.locator('.response-col_status').last().textContent()).toContain('200');
      const answer = await live.locator('.response-col_description .highlight-code').first().textContent();
      expect(answer).toContain('"plate": "AB123CD"');
      expect(answer).toContain('"access_reason_code": "NO_VALID_FACILITY_ENTITLEMENT"');
      expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
      await page.close();
    },
    TEST_MS,
  );

  it(
    'asks, in its examples, about the instant at which it was opened',
    async () => {
      const { page } = await open();
      const operation = page.locator('#operations-Evidence-searchEvidence');
      await operation.locator('.opblock-summary-control').click();
      const { at } = JSON.parse(await operation.locator('textarea.body-param__text').inputValue());
      expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(TEST_MS);
      await page.close();
    },
    TEST_MS,
  );
});

describe('The way around the reference', () => {
  it(
    'is a list of all operations, which a search narrows, and which opens one and its address',
    async () => {
      const { page, strangers, complaints } = await open();
      const links = page.locator('#links a');
      const count = Object.values(description.paths).flatMap((item) => Object.keys(item)).length;
      expect(await links.count()).toBe(count);
      await page.getByRole('searchbox', { name: 'Search' }).fill('Subscription-OPTIONS');
      const found = links.filter({ visible: true });
      expect(await found.allInnerTexts()).toEqual(['POST Find the plans that a plate can buy at a meter']);
      expect(await page.locator('#links > li').filter({ visible: true }).count()).toBe(1);
      await found.click();
      const operation = page.locator('#operations-Parking_meters-findSubscriptionOptions');
      await operation.locator('textarea.body-param__text').waitFor();
      expect(page.url()).toContain('#/Parking_meters/findSubscriptionOptions');
      await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it');
      await page.getByText('No operation has this.').waitFor();
      expect(await found.count()).toBe(0);
      await page.getByRole('link', { name: 'All cities' }).click();
      await page.waitForURL(`${service.address}/`);
      expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
      await page.close();
    },
    TEST_MS,
  );

  it(
    'has the prose below the operations',
    async () => {
      const { page } = await open();
      const placeOf = async (selector: string) => (await page.locator(selector).last().boundingBox())?.y;
      expect(await placeOf('.guide')).toBeGreaterThan((await placeOf('.opblock')) ?? Number.NaN);
      expect(await page.locator('.guide').innerText()).toContain('A valid negative is a 200.');
      await page.close();
    },
    TEST_MS,
  );

  it(
    'is in Italian where the address or the browser asks for it, and so are the answers',
    async () => {
      const { page } = await open({ locale: 'it-IT' });
      await page.getByRole('link', { name: 'Tutti i comuni' }).waitFor();
      const operation = page.locator('#operations-Plate_check-checkPlate');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('button.execute').click();
      await operation.locator('.live-responses-table').waitFor();
      await operation.getByText(ERROR_TEXT.TOKEN_MISSING.it).first().waitFor();
      await page.getByRole('link', { name: 'English' }).click();
      await page.getByRole('link', { name: 'All cities' }).waitFor();
      await page.close();
    },
    TEST_MS,
  );
});

describe('A screen reader', () => {
  it.each([
    ['light', 'en-GB'],
    ['dark', 'it-IT'],
  ] as const)(
    'stumbles over nothing of the list, of an operation that is tried out, of the window for tokens: %s, %s',
    async (colorScheme, locale) => {
      const watched = await open({ colorScheme, locale });
      const { page } = watched;
      expect(await accessibilityIssues(watched)).toEqual([]);
      await page.locator('.auth-wrapper > .authorize').click();
      await page.getByRole('dialog').waitFor();
      expect(await accessibilityIssues(watched)).toEqual([]);
      await page.getByRole('button', { name: 'Close' }).first().click();
      const operation = page.locator('#operations-Service-getHealth');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('button.execute').click();
      await operation.locator('.live-responses-table').waitFor();
      await page.locator('#operations-Plate_check-checkPlate .opblock-summary-control').click();
      await page.locator('#operations-Plate_check-checkPlate textarea.body-param__text').waitFor();
      expect(await accessibilityIssues(watched)).toEqual([]);
      await picture(page, `reference-${colorScheme}`);
      // A phone has room for it, too: what is wide scrolls by itself.
      await page.setViewportSize({ width: 360, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      await page.close();
    },
    2 * TEST_MS,
  );

  it.each(RULE_PAGES)(
    'stumbles over nothing of %s, which fits a phone',
    async (path) => {
      const watched = await watchedPage(browser, [service.address], {
        viewport: { width: 320, height: 800 },
      });
      const { page, strangers, complaints } = watched;
      await page.goto(`${service.address}${path}`);
      expect(await accessibilityIssues(watched)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await picture(page, `rules${path.replaceAll('/', '-')}`);
      expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
      await page.close();
    },
    TEST_MS,
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
    TEST_MS,
  );
});

async function open(options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await watchedPage(browser, [service.address], {
    ...{ locale: 'en-GB', viewport: { width: 1_280, height: 1_600 } },
    ...options,
  });
  await watched.page.goto(`${service.address}/docs`);
  await watched.page.locator('.opblock').first().waitFor();
  return watched;
}

async function authorize(page: Page): Promise<void> {
  await page.locator('.auth-wrapper > .authorize, .auth-wrapper .btn.authorize').first().click();
  const scheme = page.locator('.auth-container', { hasText: 'AccessToken' }).first();
  await scheme.locator('input').fill(accessToken);
  await scheme.locator('button.authorize').click();
  await page.locator('.modal-ux .close-modal').click();
}

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
