import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { launchChromium } from './chromium.ts';
import { bologna, torino } from './cities.ts';
import { ContractService, OtherSite } from './contract-service.ts';

/** A service with two cities, a site of somebody else's, and a browser: there before the tests of a file, and gone after. */
export interface Stage {
  readonly service: ContractService;
  readonly site: OtherSite;
  readonly browser: Browser;
}

/** Registers what starts and stops them. What it returns is filled before the first test. */
export function widgetStage(): Stage {
  const found: Partial<{ -readonly [Part in keyof Stage]: Stage[Part] }> = {};

  beforeAll(async () => {
    found.service = await ContractService.start();
    found.site = await OtherSite.start();
    found.browser = await launchChromium();
  }, 60_000);

  afterAll(async () => {
    await found.browser?.close();
    await found.site?.close();
    await found.service?.stop();
  });

  beforeEach(() => found.service?.reset(torino(), bologna()));

  // Tests run after `beforeAll`, which has filled all three.
  return found as Stage;
}
