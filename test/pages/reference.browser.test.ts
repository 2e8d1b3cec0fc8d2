import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import description from '../../src/openapi/openapi.json' with { type: 'json' };
import { launchChromium, picture, type Watched, watchedPage } from '../browser/chromium.ts';
import { START_MS, type StartedService, startService } from '../browser/started-service.ts';

const TEST_MS = 60_000;

let service: StartedService;
let accessToken: string;
let browser: Browser;

beforeAll(async () => {
  service = await startService();
  accessToken = await issueToken();
  browser = await launchChromium();
}, START_MS);

afterAll(async () => {
  await browser?.close();
  await service?.stop();
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
});

async function open(): Promise<Watched> {
  const watched = await watchedPage(browser, [service.address], {
    viewport: { width: 1_280, height: 1_600 },
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
