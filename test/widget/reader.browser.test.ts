import { describe, expect, it } from 'vitest';
import { picture } from '../browser/chromium.ts';
import { bologna, torino } from '../browser/cities.ts';
import { accessibilityIssues, type Embedding, embed, layoutShifts } from '../browser/embedded.ts';
import { widgetStage } from '../browser/stage.ts';

const stage = widgetStage();

const open = (embedding?: Embedding) => embed(stage, embedding);

describe('A reader of the widget', () => {
  it('finds areas by a part of their name, whatever the case and the accents', async () => {
    const { page, widget } = await open();
    const search = widget.getByRole('searchbox', { name: 'Find by name' });
    await search.fill('UNIVERSITA');
    await expect.poll(() => widget.locator('.name').allInnerTexts()).toEqual(['Università\nCar park']);
    await widget.getByRole('status').filter({ hasText: '1 of 5 areas' }).waitFor();
    await search.fill('nowhere');
    await widget.getByText('No area has “nowhere” in its name.').waitFor();
    await search.fill('');
    await expect.poll(() => widget.getByRole('listitem').count()).toBe(5);
    await page.close();
  });

  it('sorts by free spaces, those that are not known last', async () => {
    const { page, widget } = await open({ attributes: 'municipality="L219" area-type="facility"' });
    await widget.getByRole('combobox', { name: 'Sort by' }).selectOption('Most free spaces');
    await expect
      .poll(() => widget.locator('.name').allInnerTexts())
      .toEqual(['Bolzano', 'Ventimiglia', 'Emanuele Filiberto', 'Università']);
    await page.close();
  });

  it('reaches everything by the keyboard, in the order in which it stands there', async () => {
    const { page, widget } = await open({ after: '<a href="#">After</a>' });
    await widget.getByRole('listitem').first().waitFor();
    const focused = () =>
      page.evaluate(() => {
        const inner = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
        const label = inner?.closest('label') ?? inner;
        return inner?.getAttribute('aria-label') ?? (label as HTMLElement).innerText.split('\n')[0];
      });
    const reached: unknown[] = [];
    for (let presses = 0; presses < 4; presses++) {
      await page.keyboard.press('Tab');
      reached.push(await focused());
    }
    expect(reached).toEqual(['Find by name', 'Sort by', 'Areas', 'After']);
    await page.close();
  });

  it('sees nothing in the page move, from the empty element to data, a failure, and another city', async () => {
    const { page, widget, settled } = await open({ after: '<p>Below the widget</p>' });
    await widget.getByRole('listitem').first().waitFor();
    const shifts = await layoutShifts(page);
    stage.service.failure = 'error';
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await widget.getByRole('button', { name: 'Try again' }).waitFor();
    stage.service.reset(torino({ data_quality: 'degraded' }), bologna());
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await widget.getByText('Some payments reach us late').waitFor();
    await widget.evaluate((element) => element.setAttribute('municipality', 'A944'));
    await widget.getByRole('heading', { name: 'Bologna' }).waitFor();
    await settled();
    expect(await shifts()).toEqual([]);
    await page.close();
  });

  it('who wants little motion sees none', async () => {
    const { page, widget } = await open({ browser: { reducedMotion: 'reduce' } });
    const bar = widget.locator('.level').first();
    expect(await bar.evaluate((level) => getComputedStyle(level).transitionDuration)).toBe('0s');
    await page.close();
  });

  const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [360, 1_100].map((width) => ({ colorScheme, width })),
  );

  it.each(LOOKS)(
    'can read it in $colorScheme colours, $width pixels wide: axe-core finds nothing',
    async (look) => {
      stage.service.reset(torino({ data_quality: 'degraded' }));
      const { colorScheme, width } = look;
      const opened = await open({ browser: { colorScheme, viewport: { width, height: 900 } } });
      await opened.widget.getByRole('listitem').first().waitFor();
      await picture(opened.page, `widget-${colorScheme}-${width}`);
      expect(await accessibilityIssues(opened)).toEqual([]);
      const overflow = await opened.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await opened.page.close();
    },
  );

  it.each(['not public', 'failing', 'found nothing'])(
    'can read it when it has nothing to show: %s',
    async (state) => {
      if (state === 'not public') stage.service.reset();
      if (state === 'failing') stage.service.failure = 'error';
      const opened = await open({ browser: { viewport: { width: 600, height: 700 } } });
      if (state === 'found nothing') await opened.widget.getByRole('searchbox').fill('nowhere');
      await opened.widget.getByText(/does not publish|cannot be loaded|No area has/).waitFor();
      await picture(opened.page, `widget-${state.replace(' ', '-')}`);
      expect(await accessibilityIssues(opened)).toEqual([]);
      await opened.page.close();
    },
  );
});
