import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { area, city, torino } from '../browser/cities.ts';
import { type Embedding, embed } from '../browser/embedded.ts';
import { widgetStage } from '../browser/stage.ts';

const stage = widgetStage();

const colourOfUnknown = (widget: Locator) =>
  widget.locator('li.unknown .status').evaluate((status) => getComputedStyle(status).color);

const open = (embedding?: Embedding) => embed(stage, embedding);

describe('The widget', () => {
  it('says of each area its name, its free spaces now and later, and its status in words', async () => {
    const { page, widget, strangers, complaints } = await open();
    const areas = await widget.getByRole('listitem').allInnerTexts();
    expect(areas.map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      'Bolzano Car park Available 1,042 free of 1,300 in 30 min 1,100 in 60 min 1,180',
      'Emanuele Filiberto Car park Full 0 free of 148 in 30 min 3 in 60 min 9',
      'Università Car park Not known Free spaces are not known',
      'Ventimiglia Car park Almost full 7 free of 200 in 30 min 12 in 60 min 31',
      'Via Po On street Available 18 free of 40 in 30 min 20 in 60 min 1',
    ]);
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    await page.close();
  });

  it('draws a bar as long as the share that is free, and a shape of its own for each status', async () => {
    const { page, widget } = await open();
    await widget.getByRole('listitem').first().waitFor();
    const widths = await widget
      .locator('.level')
      .evaluateAll((all) => all.map((bar) => bar.getAttribute('width')));
    expect(widths).toEqual(['80.2%', '0%', '3.5%', '45%']);
    const shapes = await widget
      .locator('li .shape')
      .evaluateAll((all) => all.map((shape) => shape.innerHTML));
    expect(new Set(shapes).size).toBe(4);
    await page.close();
  });

  it('speaks Italian where its attribute says so, whatever the page speaks', async () => {
    const { page, widget } = await open({ attributes: 'municipality="L219" lang="it"' });
    await widget.getByRole('heading', { name: 'Torino: posti liberi' }).waitFor();
    expect((await widget.getByRole('listitem').first().innerText()).replace(/\s+/g, ' ')).toBe(
      'Bolzano Parcheggio Disponibile 1042 liberi su 1300 tra 30 min 1100 tra 60 min 1180',
    );
    expect(await widget.locator('section').getAttribute('lang')).toBe('it');
    await page.close();
  });

  it('speaks the language of the page otherwise', async () => {
    const { page, widget } = await open({ documentLanguage: 'it-IT' });
    await widget.getByRole('heading', { name: 'Torino: posti liberi' }).waitFor();
    await page.close();
  });

  it.each([
    ['VIA-PO, BOLZANO', ['Bolzano', 'Via Po']],
    ['VIA-PO,NONE', ['Via Po']],
    ['NONE', ['Bolzano', 'Emanuele Filiberto', 'Università', 'Ventimiglia', 'Via Po']],
    [' , ', ['Bolzano', 'Emanuele Filiberto', 'Università', 'Ventimiglia', 'Via Po']],
  ])('shows for areas=%j %j', async (areas, names) => {
    const { page, widget } = await open({ attributes: `municipality="L219" area-type="" areas="${areas}"` });
    await widget.getByRole('listitem').first().waitFor();
    const shown = await widget.locator('.name').allInnerTexts();
    expect(shown.map((name) => name.split('\n')[0]?.trim())).toEqual(names);
    await page.close();
  });

  it('shows a short list where it is compact, and loses no area', async () => {
    const { page, widget } = await open({ attributes: 'municipality="L219" compact' });
    await widget.getByRole('listitem').first().waitFor();
    expect(await widget.getByRole('listitem').count()).toBe(5);
    expect(await widget.getByText('1,042').isVisible()).toBe(true);
    for (const hidden of ['.tools', '.later >> nth=0']) {
      expect(await widget.locator(hidden).isVisible()).toBe(false);
    }
    await page.close();
  });

  it.each([
    ['', 'dark', 'normal', 'dark'],
    ['theme="light"', 'dark', 'dark', 'light'],
    ['theme="dark"', 'light', 'light', 'dark'],
    ['theme="auto"', 'light', 'dark', 'dark'],
    ['theme="auto"', 'dark', 'light', 'light'],
    ['theme="other"', 'dark', 'light', 'dark'],
  ] as const)('with %j, a reader of %s and a page of %s is %s', async (theme, reader, page, expected) => {
    const opened = await open({
      attributes: `municipality="L219" ${theme}`,
      browser: { colorScheme: reader },
    });
    await opened.page.locator('html').evaluate((html, scheme) => {
      html.style.colorScheme = scheme;
    }, page);
    const card = opened.widget.locator('.card');
    const paper = await card.evaluate((shown) => getComputedStyle(shown).backgroundColor);
    expect(paper).toBe(expected === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 27, 34)');
    await opened.page.close();
  });

  it('lets a page style its parts, tells it each answer, and shows what stands in it until the first', async () => {
    const release = stage.service.hold('L219');
    const { page, widget } = await open();
    await widget.evaluate((element) => {
      const link = document.createElement('a');
      link.href = '/parking';
      link.textContent = 'All car parks';
      element.append(link);
      const heard = new Promise((resolve) => {
        document.addEventListener('parking-occupancy', (event) => resolve((event as CustomEvent).detail));
      });
      Object.assign(globalThis, { heard });
    });
    await page.getByRole('link', { name: 'All car parks' }).waitFor();
    release();
    const detail = await page.evaluate(() => (globalThis as unknown as { heard: Promise<object> }).heard);
    expect(detail).toMatchObject({ municipality: { code: 'L219' }, areas: { length: 5 } });
    await widget.getByRole('listitem').first().waitFor();
    expect(await page.getByRole('link', { name: 'All car parks' }).isVisible()).toBe(false);
    const parts = await widget.evaluate((element) =>
      [...(element.shadowRoot?.querySelectorAll('[part]') ?? [])].map((part) => part.getAttribute('part')),
    );
    expect([...new Set(parts)].sort()).toEqual(
      'area card foot later list name notice now status title tools'.split(' '),
    );
    await page.close();
  });

  it('shows areas of one type where that is set', async () => {
    const { page, widget, questions } = await open({ attributes: 'municipality="L219" area-type="street"' });
    await widget.getByRole('listitem').first().waitFor();
    expect(await widget.locator('.name').allInnerTexts()).toEqual(['Via Po']);
    expect(questions).toEqual(['/api/v2/public/municipalities/L219/occupancy?area_type=street']);
    await page.close();
  });

  it('says when the figures were made, in the time of the municipality, and how old they are', async () => {
    stage.service.reset(torino({ as_of: new Date(Date.now() - 185_000).toISOString() }));
    const { page, widget } = await open({ browser: { timezoneId: 'Asia/Tokyo' } });
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Rome' });
    const expected = time.format(Date.now() - 185_000);
    expect(await widget.locator('.age').innerText()).toContain(`Updated 3 minutes ago, at ${expected}.`);
    await page.close();
  });

  it('shows late figures as last known, never in the colour of new ones', async () => {
    const colour = (widget: Locator) =>
      widget
        .locator('li.available .status')
        .first()
        .evaluate((status) => getComputedStyle(status).color);
    const fresh = await open();
    await fresh.widget.getByRole('listitem').first().waitFor();
    const [available, unknown] = [await colour(fresh.widget), await colourOfUnknown(fresh.widget)];
    await fresh.page.close();
    const last = new Date(Date.now() - 20 * 60_000);
    stage.service.reset(torino({ data_quality: 'degraded', last_source_success_at: last.toISOString() }));
    const { page, widget } = await open();
    await widget.getByText('Some payments reach us late: figures may be off.').waitFor();
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Rome' }).format(
      last,
    );
    await widget.getByText(`18 free of 40, last known at ${time}`).waitFor();
    expect(await widget.locator('.age').innerText()).toContain(`Updated 20 minutes ago, at ${time}.`);
    expect(await colour(widget)).toBe(unknown);
    expect(unknown).not.toBe(available);
    await page.close();
  });

  it('shows no figures when nothing has come for too long, and since when', async () => {
    const last = new Date(Date.now() - 26 * 3_600_000);
    const areas = torino().areas.map((one) => ({
      ...one,
      ...{ available_now: null, available_after_30: null, available_after_60: null },
      ...{ occupancy_percent: null, status: 'unknown' as const },
    }));
    stage.service.reset(
      torino({ data_quality: 'outdated', last_source_success_at: last.toISOString(), areas }),
    );
    const { page, widget } = await open();
    const time = new Intl.DateTimeFormat('en-GB', {
      ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Rome' },
    }).format(last);
    await widget.getByText('No payments have reached us for long: free spaces are not known.').waitFor();
    expect(await widget.locator('.age').innerText()).toBe(`Updated 1 day ago, at ${time}.`);
    expect(await widget.locator('li .status').allInnerTexts()).toEqual(Array(5).fill('Not known'));
    expect(await widget.locator('li .free').allInnerTexts()).toEqual(
      Array(5).fill('Free spaces are not known'),
    );
    expect(await widget.locator('.level').count()).toBe(0);
    await page.close();
  });

  it('says of a closed area until when it is closed', async () => {
    const shut = {
      ...area('Bolzano', 1_300, 0),
      status: 'closed' as const,
      closed_until: '2126-12-27T05:00:00Z',
    };
    const none = { available_now: null, available_after_30: null, available_after_60: null };
    stage.service.reset(torino({ areas: [{ ...shut, ...none }] }));
    const { page, widget } = await open();
    const text = await widget.getByRole('listitem').innerText();
    expect(text.replace(/\s+/g, ' ').trim()).toBe('Bolzano Car park Closed Closed until 27 Dec 2126, 06:00');
    await page.close();
  });

  it('says in a sentence that a municipality is not public, and shows no code of an error', async () => {
    const { page, widget } = await open({ attributes: 'municipality="NOBODY"' });
    await widget.getByText('This municipality does not publish its free parking spaces.').waitFor();
    expect(await widget.locator('section').innerText()).not.toMatch(/404|NOT_FOUND|error/i);
    await page.close();
  });

  it('asks nothing where no municipality is named', async () => {
    const { page, widget, questions, complaints } = await open({ attributes: 'municipality=" "' });
    await widget.getByText('No municipality has been chosen.').waitFor();
    expect(questions).toEqual([]);
    expect(complaints.join()).toContain('the attribute "municipality" is missing');
    await page.close();
  });

  it('falls back where an attribute means nothing, and says so in the console, once', async () => {
    const attributes = 'municipality="L219" area-type="garage" lang="de"';
    const { page, widget, complaints } = await open({ attributes, documentLanguage: 'it' });
    await widget.getByRole('heading', { name: 'Torino: posti liberi' }).waitFor();
    expect(await widget.getByRole('listitem').count()).toBe(5);
    await widget.getByRole('searchbox').fill('po');
    expect(complaints).toEqual([
      '<parking-occupancy>: area-type="garage" is neither "street" nor "facility": showing both',
      '<parking-occupancy>: lang="de" is neither Italian ("it") nor English ("en"): using "it"',
    ]);
    await page.close();
  });

  it('shows names as text, whatever they are', async () => {
    const name = '<img src=x onerror=alert(1)>';
    stage.service.reset(city('L219', name, [area(name, 10, 5)]));
    const { page, widget } = await open();
    await widget.getByRole('heading', { name }).waitFor();
    expect(await widget.locator('img').count()).toBe(0);
    await page.close();
  });

  it.each(['A', 'A/B', 'città', '50% off?'])('asks for exactly the code it is given: %s', async (code) => {
    stage.service.reset(city(code, 'Somewhere', [area('Centro', 10, 5)]));
    const { page, widget } = await open({ attributes: `municipality="${code}"` });
    await widget.getByRole('heading', { name: 'Somewhere' }).waitFor();
    await page.close();
  });
});
