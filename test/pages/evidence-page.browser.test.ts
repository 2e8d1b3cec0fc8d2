import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Evidence } from '../../clients/parking/views/evidence.ts';
import { evidencePage } from '../../clients/parking/views/evidence-page.ts';
import { launchChromium, picture } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';

/** A4 in CSS pixels, without the page's margins of 16 mm. */
const A4_WIDTH = Math.floor(((210 - 2 * 16) / 25.4) * 96);

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(() => browser?.close());

const ID = '0d9accae-6b4d-4331-79b7-b2931f2e3d4c';
const AT = '2026-11-24T06:44:31+01:00';

/** With the longest codes that there are, and ids as applications make them. */
const CROWDED = {
  ...{ request_id: ID, plate: 'EV123ID', event: 'exit', differs: true, at: AT, known_at: AT },
  ...{ generated_at: AT, checks_since: AT, history_count: 1, checks_count: 1 },
  municipality: { code: 'L219', name: 'Torino' },
  area: { code: 'AUTOSILO-BUONCONSIGLIO-P', name: 'Autosilo Buonconsiglio' },
  ...Object.fromEntries(
    ['as_known_then', 'as_known_now'].map((name) => [
      name,
      {
        ...{ has_valid_entitlement: true, access_reason_code: 'FACILITY_SUBSCRIPTION_AREA_NOT_ALLOWED' },
        sessions: [
          {
            ...{ session_id: ID, source_code: 'online-booking', status: 'valid', starts_at: AT, ends_at: AT },
            area: { code: 'AUTOSILO-BUONCONSIGLIO-P', name: 'Autosilo Buonconsiglio' },
          },
        ],
        subscriptions: [{ subscription_number: ID, status: 'active', reason_code: 'VALID_SUBSCRIPTION' }],
      },
    ]),
  ),
  history: [
    {
      ...{ kind: 'parking_session', source_code: 'online-booking', key: ID, late_by_seconds: 7_201 },
      ...{ known_then: true, recorded_at: AT },
      record: { plate: 'EV123ID', area_code: 'AUTOSILO-BUONCONSIGLIO-P', starts_at: AT, ends_at: AT },
    },
  ],
  sources: [{ code: 'online-booking', name: 'Online booking', status: 'fresh', last_successful_at: AT }],
  checks: [
    {
      ...{ request_id: ID, at: AT, operation: 'patrol', outcome: 'VALID_SESSION_AND_SUBSCRIPTION' },
      officer_reference: 'badge-0417-torino-centro',
    },
  ],
} as unknown as Evidence;

it.each(['en', 'it'] as const)('The page of evidence fits A4 in %s, and breaks no time', async (language) => {
  const page = await browser.newPage({ viewport: { width: A4_WIDTH, height: 1_000 } });
  await page.emulateMedia({ media: 'print' });
  await page.setContent(evidencePage(CROWDED, language));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(A4_WIDTH);
  expect(await page.locator('td').allInnerTexts()).toContainEqual(
    expect.stringMatching(/24\/11\/2026\u00a006:44:31 → 24\/11\/2026\u00a006:44:31$/),
  );
  expect(await accessibilityIssues({ page })).toEqual([]);
  await picture(page, `evidence-${language}`);
  await page.close();
});
