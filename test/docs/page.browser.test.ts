import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import description from '../../src/openapi/openapi.json' with { type: 'json' };

const START_MS = 90_000;
const TEST_MS = 60_000;
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ADMIN = {
  Authorization: 'Bearer admin-of-the-test-that-is-long-enough',
  'Content-Type': 'application/json',
};
/** Where a developer wants to look at the page: CI keeps nothing. */
const SCREENSHOTS = process.env.SCREENSHOTS;

const folder = mkdtempSync(join(tmpdir(), 'docs-'));
let address: string;
let accessToken: string;
let service: ChildProcess;
let browser: Browser;

beforeAll(async () => {
  const port = await freePort();
  address = `http://localhost:${port}`;
  service = await start(port);
  accessToken = await issueToken();
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}, START_MS);

afterAll(async () => {
  await browser?.close();
  service?.kill('SIGTERM');
  if (service?.exitCode === null) await once(service, 'exit');
  rmSync(folder, { recursive: true, force: true });
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
      await picture(page, 'opened');
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
      await picture(page, 'tried');
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

/** Opens the page, and notes what it asks of other hosts and what the browser has to say of it. */
async function open(): Promise<{ page: Page; strangers: string[]; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 1_600 } });
  const strangers: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:'))
      strangers.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${address}/docs`);
  await page.locator('.opblock').first().waitFor();
  return { page, strangers, complaints };
}

async function authorize(page: Page): Promise<void> {
  await page.locator('.auth-wrapper > .authorize, .auth-wrapper .btn.authorize').first().click();
  const scheme = page.locator('.auth-container', { hasText: 'AccessToken' }).first();
  await scheme.locator('input').fill(accessToken);
  await scheme.locator('button.authorize').click();
  await page.locator('.modal-ux .close-modal').click();
}

async function picture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

async function start(port: number): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ['tools/local/start.ts', '--port', String(port), '--state', folder, '--empty'],
    {
      env: {
        ...process.env,
        ADMIN_TOKEN: 'admin-of-the-test-that-is-long-enough',
        TOKEN_KEY: 'key-of-the-test-that-is-long-enough',
      },
    },
  );
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('The service answers on')) resolve(child);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => reject(new Error(`it ended with ${code}:\n${printed}`)));
  });
}

/** A city with a facility, and a barrier's token. */
async function issueToken(): Promise<string> {
  await administer('PUT', '/api/v2/admin/configuration', {
    tenants: [{ code: 'acme', name: 'Acme Parking' }],
    municipalities: [
      {
        ...{ code: 'H501', name: 'Roma', timezone: 'Europe/Rome', tenant: 'acme' },
        areas: [{ code: 'P1', name: 'Parcheggio Centro', area_type: 'facility' }],
      },
    ],
  });
  const scopes = ['plate_check'];
  const issued = await administer('POST', '/api/v2/admin/credentials', {
    ...{ tenant: 'acme', name: 'Barrier P1', scopes, municipalities: ['H501'] },
  });
  return String(issued.access_token);
}

async function administer(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(address + path, { method, headers: ADMIN, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as Record<string, unknown>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return bound.port;
}
