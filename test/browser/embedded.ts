import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { type Watched, watchedPage } from './chromium.ts';
import type { Stage } from './stage.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Less than what the widget waits for an answer. */
const STEP_SECONDS = 5;

/** A widget in a page of somebody else's. */
export interface Embedded extends Watched {
  readonly widget: Locator;
  /** What the page has asked of the service, in order: the addresses without the service's own. */
  readonly questions: readonly string[];
  /** Waits until every question has been answered, or has failed, and the page has taken note of it. */
  readonly settled: () => Promise<void>;
  /** Moves a stopped clock on, in steps that leave every question the time to be answered. */
  readonly pass: (seconds: number) => Promise<void>;
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
  { browser, service, site }: Stage,
  { attributes = 'municipality="L219"', documentLanguage = 'en', after = '', ...rest }: Embedding = {},
): Promise<Embedded> {
  site.policy = `default-src 'none'; script-src ${service.address}; connect-src 'self' ${service.address}; style-src 'self'`;
  site.styles = 'parking-occupancy { display: block; block-size: 32rem; }';
  site.page = `<!doctype html><html lang="${documentLanguage}"><head><title>A page</title><link rel="stylesheet" href="/page.css">
    <script type="module" src="${service.address}/widget/v1.js"></script></head>
    <body><main><h1>A page</h1><parking-occupancy base="${service.address}" ${attributes}></parking-occupancy>${after}</main></body></html>`;
  const watched = await watchedPage(browser, [service.address, site.address], rest.browser);
  const { page } = watched;
  const questions: string[] = [];
  let answered = 0;
  const isQuestion = (request: Request) => request.url().startsWith(`${service.address}/api/`);
  page.on('request', (request) => {
    if (isQuestion(request)) questions.push(request.url().slice(service.address.length));
  });
  for (const event of ['requestfinished', 'requestfailed'] as const) {
    page.on(event as 'requestfinished', (request) => {
      if (isQuestion(request)) answered++;
    });
  }
  const settled = async () => {
    // Timers of the page may stand still: a round trip to the site takes its place.
    await page.evaluate(() => fetch('/nothing').catch(() => {}));
    await expect.poll(() => answered).toBe(questions.length);
    await page.evaluate(() => fetch('/nothing').catch(() => {}));
  };
  if (rest.isClockStopped) {
    await page.clock.install({ time: Date.now() });
    await page.clock.pauseAt(Date.now() + 1_000);
  }
  const pass = async (seconds: number) => {
    for (let left = seconds; left > 0; left -= STEP_SECONDS) {
      await page.clock.runFor(Math.min(left, STEP_SECONDS) * 1_000);
      await settled();
    }
  };
  await page.goto(`${site.address}/`);
  return { ...watched, widget: page.locator('parking-occupancy'), questions, settled, pass };
}

/** Notes from now on what moves in the page by itself, and what had moved before. The function tells how far each time. */
export async function layoutShifts(page: Page): Promise<() => Promise<number[]>> {
  const shifts = await page.evaluateHandle(() => {
    const noted: number[] = [];
    const observer = new PerformanceObserver((list) => note(list.getEntries()));
    const note = (entries: PerformanceEntryList) => {
      noted.push(...entries.map((entry) => (entry as PerformanceEntry & { value: number }).value));
    };
    observer.observe({ type: 'layout-shift', buffered: true });
    return { noted };
  });
  return () =>
    shifts.evaluate(async ({ noted }) => {
      // What was painted by the second frame from now has been noted by the third.
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
      return noted;
    });
}

/**
 * What axe-core finds wrong in the page, shadow trees included: its WCAG rules and its good practices.
 *
 * @param but a drawing that it cannot judge
 */
export async function accessibilityIssues({ page }: Pick<Watched, 'page'>, but?: string): Promise<string[]> {
  // In the page's own world, but not as a script of the page: its policy allows none.
  await page.evaluate(AXE);
  return page.evaluate(async (exclude) => {
    const { axe } = globalThis as unknown as { axe: { run: (context: object) => Promise<AxeResults> } };
    const { violations, incomplete } = await axe.run(exclude === undefined ? document : { exclude });
    return [...violations, ...incomplete].map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.flat().join(' ')).join('; ')}`,
    );
  }, but);
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
