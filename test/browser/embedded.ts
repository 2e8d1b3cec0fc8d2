import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Locator } from 'playwright-core';
import { type Watched, watchedPage } from './chromium.ts';
import type { ContractService, OtherSite } from './contract-service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A widget in a page of somebody else's. */
export interface Embedded extends Watched {
  readonly widget: Locator;
}

export interface Embedding {
  /** The attributes of the element, as they are written. */
  readonly attributes?: string;
  /** The language of the page. */
  readonly documentLanguage?: string;
  /** Below the widget. */
  readonly after?: string;
  readonly browser?: BrowserContextOptions;
  /** Stops the page's clock, so that only the test moves it on. */
  readonly isClockStopped?: boolean;
}

/** Opens a page of another origin with the widget, under a policy that allows the service and nothing more. */
export async function embed(
  browser: Browser,
  service: ContractService,
  site: OtherSite,
  { attributes = 'municipality="L219"', documentLanguage = 'en', after = '', ...rest }: Embedding = {},
): Promise<Embedded> {
  site.policy = `default-src 'none'; script-src ${service.address}; connect-src ${service.address}; style-src 'none'`;
  site.page = `<!doctype html><html lang="${documentLanguage}"><head><title>A page</title>
    <script type="module" src="${service.address}/widget/v1.js"></script></head>
    <body><main><h1>A page</h1><parking-occupancy base="${service.address}" ${attributes}></parking-occupancy>${after}</main></body></html>`;
  const watched = await watchedPage(browser, [service.address, site.address], rest.browser);
  const { page } = watched;
  if (rest.isClockStopped) {
    await page.clock.install({ time: Date.now() });
    await page.clock.pauseAt(Date.now() + 1_000);
  }
  await page.goto(`${site.address}/`);
  return { ...watched, widget: page.locator('parking-occupancy') };
}

/** What axe-core finds wrong in the page, shadow trees included: its WCAG rules and its good practices. */
export async function accessibilityIssues({ page }: Watched): Promise<string[]> {
  // In the page's own world, but not as a script of the page: its policy allows none.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<AxeResults> } };
    const { violations, incomplete } = await axe.run();
    return [...violations, ...incomplete].map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.flat().join(' ')).join('; ')}`,
    );
  });
}

interface AxeResults {
  readonly violations: readonly AxeIssue[];
  /** What it cannot decide: nothing may hide there. */
  readonly incomplete: readonly AxeIssue[];
}

interface AxeIssue {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly (string | readonly string[])[] }[];
}
