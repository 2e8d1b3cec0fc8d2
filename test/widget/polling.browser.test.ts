import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { area, city, torino } from '../browser/cities.ts';
import { embed } from '../browser/embedded.ts';
import { widgetStage } from '../browser/stage.ts';

const MINUTE = 60;

const stage = widgetStage();

/** With a clock that only the test moves on. */
const open = (attributes?: string) =>
  embed(stage, { ...(attributes && { attributes }), isClockStopped: true });

const withFree = (count: number, changed = {}) =>
  city('L219', 'Torino', [area('Bolzano', 1_300, count)], changed);

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((isHidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

describe('The widget', () => {
  it('asks as often as the service says, and shows what is new', async () => {
    stage.service.reset(withFree(42, { refresh_after_seconds: 30 }));
    const { page, widget, questions, settled, pass } = await open();
    await widget.getByText('42 free of 1,300').waitFor();
    stage.service.reset(withFree(41, { refresh_after_seconds: 300 }));
    await pass(29);
    expect(questions.length).toBe(1);
    await pass(1);
    await widget.getByText('41 free of 1,300').waitFor();
    await settled();
    await pass(4 * MINUTE);
    expect(questions.length).toBe(2);
    await pass(MINUTE);
    await expect.poll(() => questions.length).toBe(3);
    await page.close();
  });

  it.each(['error', 'no_connection', 'not_ours'] as const)(
    'keeps the last data with their age while the service fails (%s), asks less and less, and comes back',
    async (failure) => {
      const { page, widget, questions, settled, pass } = await open();
      await widget.getByText('7 free of 200').waitFor();
      await settled();
      stage.service.failure = failure;
      await pass(MINUTE);
      await widget.getByText('New figures cannot be loaded right now.').waitFor();
      expect(await widget.getByText('7 free of 200').count()).toBe(1);
      // The first failure is asked again after 60 to 75 s, the second after 120 to 150 s.
      await settled();
      await pass(76);
      expect(questions.length).toBe(3);
      // That question was asked 1 to 16 s ago.
      await pass(103);
      expect(questions.length).toBe(3);
      expect(await widget.locator('.age').innerText()).toMatch(/Updated [34] minutes ago, at/);
      stage.service.failure = 'none';
      await pass(47);
      expect(questions.length).toBe(4);
      expect(await widget.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await pass(MINUTE);
      await expect.poll(() => questions.length).toBe(5);
      await page.close();
    },
  );

  it('tries again at once when it is asked to, and leaves the keyboard with the areas', async () => {
    stage.service.failure = 'error';
    const { page, widget } = await open();
    const retry = widget.getByRole('button', { name: 'Try again' });
    await widget.getByText('Free spaces cannot be loaded right now.').waitFor();
    stage.service.failure = 'none';
    await retry.focus();
    await page.keyboard.press('Enter');
    await widget.getByText('7 free of 200').waitFor();
    const focused = () => widget.evaluate((element) => element.shadowRoot?.activeElement?.className);
    await expect.poll(focused).toBe('list');
    await page.close();
  });

  it('asks nothing in a tab that nobody sees, and at once when it is shown again', async () => {
    const { page, widget, questions, settled } = await open();
    await widget.getByText('7 free of 200').waitFor();
    await setHidden(page, true);
    await page.clock.runFor(3_600_000);
    await settled();
    expect(questions.length).toBe(1);
    await setHidden(page, false);
    await expect.poll(() => questions.length).toBe(2);
    await page.close();
  });

  it('waits for what is left when a tab is shown again before the time', async () => {
    const { page, widget, questions, pass } = await open();
    await widget.getByText('7 free of 200').waitFor();
    await setHidden(page, true);
    await pass(20);
    await setHidden(page, false);
    await pass(39);
    expect(questions.length).toBe(1);
    await pass(1.5);
    await expect.poll(() => questions.length).toBe(2);
    await page.close();
  });

  it('never shows a city that it was to leave, however late its answer comes', async () => {
    const release = stage.service.hold('L219');
    const { page, widget, questions, settled, pass } = await open();
    await expect.poll(() => questions.length).toBe(1);
    await widget.evaluate((element) => element.setAttribute('municipality', 'A944'));
    await widget.getByRole('heading', { name: 'Bologna' }).waitFor();
    release();
    await settled();
    expect(await widget.getByRole('heading').innerText()).toBe('Bologna: free parking spaces');
    // It goes on asking of one city alone.
    await pass(MINUTE);
    await expect.poll(() => questions.length).toBe(3);
    expect(questions.at(-1)).toContain('/A944/');
    await page.close();
  });

  it('asks once when several attributes change at once, and not at all for another language', async () => {
    const { page, widget, questions } = await open();
    await widget.getByText('7 free of 200').waitFor();
    await widget.evaluate((element) => {
      element.setAttribute('municipality', 'A944');
      element.setAttribute('area-type', 'street');
      element.setAttribute('area-type', 'facility');
    });
    await widget.getByRole('heading', { name: 'Bologna' }).waitFor();
    await widget.evaluate((element) => element.setAttribute('lang', 'it'));
    await widget.getByRole('heading', { name: 'Bologna: posti liberi' }).waitFor();
    expect(questions.map((path) => path.split('municipalities/')[1])).toEqual([
      'L219/occupancy',
      'A944/occupancy?area_type=facility',
    ]);
    await page.close();
  });

  it('shows no longer what a municipality has withdrawn, and shows it again once it is back', async () => {
    const { page, widget, pass } = await open();
    await widget.getByText('7 free of 200').waitFor();
    stage.service.reset();
    await pass(MINUTE);
    await widget.getByText('does not publish').waitFor();
    expect(await widget.getByRole('listitem').count()).toBe(0);
    stage.service.reset(torino());
    await pass(76);
    await widget.getByText('7 free of 200').waitFor();
    await page.close();
  });

  it('asks no more once it has left the page, and goes on where it is put back', async () => {
    const { page, widget, questions, settled } = await open();
    await widget.getByText('7 free of 200').waitFor();
    await widget.evaluate((element) => {
      Object.assign(globalThis, { taken: element });
      element.remove();
    });
    await page.clock.runFor(600_000);
    await settled();
    expect(questions.length).toBe(1);
    await page.evaluate(() => document.body.append((globalThis as unknown as { taken: Element }).taken));
    await expect.poll(() => questions.length).toBe(2);
    await page.close();
  });
});
