import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launchChromium, type Watched, watchedPage } from './chromium.ts';
import { START_MS, type StartedService, startService } from './started-service.ts';

/** A service with what `prepare` puts into it, and a browser: what the tests of a file share, from the first one on. */
export function startWorld(prepare: (service: StartedService) => Promise<unknown>) {
  const begun = {} as { service: StartedService; browser: Browser };
  beforeAll(async () => {
    begun.service = await startService();
    await prepare(begun.service);
    begun.browser = await launchChromium();
  }, START_MS);
  afterEach(async () => {
    for (const context of begun.browser.contexts()) await context.close();
  });
  afterAll(async () => {
    await begun.browser?.close();
    await begun.service?.stop();
  });
  return Object.assign(begun, {
    /** Opens a page of the service, watched from the beginning. It is closed after the test. */
    open: async (path: string, options: BrowserContextOptions = {}): Promise<Watched> => {
      const { service, browser } = begun;
      const watched = await watchedPage(browser, [service.address], { locale: 'en-GB', ...options });
      await watched.page.goto(service.address + path);
      return watched;
    },
  });
}

export type World = ReturnType<typeof startWorld>;
