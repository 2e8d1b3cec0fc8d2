import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Where a developer wants to look at the pages: CI keeps nothing. */
const SCREENSHOTS = process.env.SCREENSHOTS;

/** A headless browser that calls nobody by itself. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  });
}

/** A page, and what was noticed since it was opened. */
export interface Watched {
  readonly page: Page;
  /** What it asked of others than the addresses it may ask. */
  readonly strangers: string[];
  /** Errors and warnings: of the page's policy, of requests that failed, of scripts. */
  readonly complaints: string[];
}

/** An empty page, watched from the beginning. */
export async function watchedPage(
  browser: Browser,
  mayAsk: readonly string[],
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const page = await browser.newPage(options);
  const strangers: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith('data:') && !mayAsk.some((address) => url.startsWith(address))) strangers.push(url);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, strangers, complaints };
}

/**
 * Watches where a token goes from now on. The function tells of each place but the header `Authorization`: a request, the
 * address, a cookie, what stays in the browser, another's server; and of complaints.
 */
export function watchToken(
  { page, strangers, complaints }: Watched,
  token: string,
): () => Promise<unknown[]> {
  const seen: string[] = [];
  page.on('request', (request) => {
    const { authorization: _, ...headers } = request.headers();
    seen.push(request.url(), JSON.stringify(headers), request.postData() ?? '');
  });
  return async () => {
    const kept = await page.evaluate(() => [location.href, document.cookie, JSON.stringify(localStorage)]);
    const told = [...seen, ...kept].filter((text) => text.includes(token) || /"referer":"[^"]/.test(text));
    return [...told, ...strangers, ...complaints];
  };
}

/** Takes a screenshot where the environment variable `SCREENSHOTS` names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined) {
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
  }
}
