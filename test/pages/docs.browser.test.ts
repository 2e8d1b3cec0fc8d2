import { describe, expect, it } from 'vitest';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import { picture } from '../browser/chromium.ts';
import { accessibilityIssues } from '../browser/embedded.ts';
import { startWorld } from '../browser/world.ts';

const world = startWorld(() => Promise.resolve());
const { open } = world;

describe('The page for developers', () => {
  it('is there without a script, with every operation collapsed', async () => {
    const { page, strangers, complaints } = await open('/docs', { javaScriptEnabled: false });
    expect(await page.locator('script').count()).toBe(0);
    const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
    expect(await page.locator('.operation').count()).toBe(operations.length);
    expect(await page.locator('.operation[open]').count()).toBe(0);
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
  });

  it('begins with what a reader builds, then says what a negative and an error are', async () => {
    const { page } = await open('/docs');
    const texts = await page.locator('h2, h3').allInnerTexts();
    expect(texts.slice(0, 6)).toEqual([
      'I build a gate',
      'I build a parking meter',
      'I build an import',
      'I build a widget or a map',
      'Negative answers and errors',
      'Operations',
    ]);
  });

  it('opens an operation by its address, with its fields, an example and its answers', async () => {
    const { page } = await open('/docs#checkPlate');
    const operation = page.locator('.operation', { has: page.locator('#checkPlate') });
    await operation.getByText('The plate as typed or read.').waitFor();
    expect(await operation.locator('td', { hasText: /^has_valid_entitlement$/ }).isVisible()).toBe(true);
    expect(await operation.locator('pre').first().innerText()).toContain('"plate": "DE 201 MO"');
    expect(await operation.locator('p b').allInnerTexts()).toEqual(
      expect.arrayContaining(['200', '429', '500']),
    );
  });

  it('leads to operations and pages that are there', async () => {
    const { page } = await open('/docs');
    const links = await page
      .locator('a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const missing = await page.evaluate(
      (all) => all.filter((href) => href.startsWith('#') && document.getElementById(href.slice(1)) === null),
      links,
    );
    expect(missing).toEqual([]);
    for (const path of new Set(
      links.filter((href) => href.startsWith('/')).map((href) => href.split('#')[0]),
    )) {
      expect((await fetch(world.service.address + path)).status, path).toBe(200);
    }
  });
});

it.each(['/docs', ...RULE_PAGES])(
  'A screen reader stumbles over nothing of %s, which fits a phone',
  async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const watched = await open(path, { colorScheme, viewport: { width: 320, height: 800 } });
      const { page, strangers, complaints } = watched;
      if (path === '/docs') await page.locator('.operation summary').first().click();
      expect(await accessibilityIssues(watched)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await page.setViewportSize({ width: 1_280, height: 900 });
      // Tables are shown whole.
      const hidden = await page
        .locator('.scroll')
        .evaluateAll((tables) => tables.map((table) => table.scrollWidth - table.clientWidth));
      expect(hidden.filter((pixels) => pixels > 0)).toEqual([]);
      await picture(page, `rules${path.replaceAll('/', '-')}-${colorScheme}`);
      expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    }
  },
);
