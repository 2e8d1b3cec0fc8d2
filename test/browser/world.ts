import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launchChromium, type Watched, watchedPage } from './chromium.ts';
import { START_MS, type StartedService, startService } from './started-service.ts';

/** What the tests of a file share. */
export interface World {
  readonly service: StartedService;
  readonly browser: Browser;
  /** Opens a page of the service, watched from the beginning. It is closed after the test. */
  readonly open: (path: string, options?: BrowserContextOptions) => Promise<Watched>;
}

/** A service, with what `prepare` puts into it, and a browser, for the tests of a file. */
export function startWorld(prepare: (service: StartedService) => Promise<unknown>): World {
  let service: StartedService | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    service = await startService();
    await prepare(service);
    browser = await launchChromium();
  }, START_MS);
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  const begun = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('the world begins before the first test');
    return one;
  };
  return {
    get service() {
      return begun(service);
    },
    get browser() {
      return begun(browser);
    },
    open: async (path, options = {}) => {
      const { address } = begun(service);
      const watched = await watchedPage(begun(browser), [address], { locale: 'en-GB', ...options });
      await watched.page.goto(address + path);
      return watched;
    },
  };
}
