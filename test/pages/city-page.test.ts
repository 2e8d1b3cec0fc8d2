import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { here, readAsked } from '../../src/public/pages/page.ts';
import { AT_CENTRO, beginAfterTheRun, minuteRuns, NOW, put, seedCities } from '../public-occupancy/city.ts';
import { FACILITY, seed } from '../support/seed.ts';
import { areasOf, CITY_PAGE, getPage, gzipped } from './get-page.ts';

/** With its script. */
const MAX_BYTES = 30 * 1_024;

beforeAll(seedCities);
beginAfterTheRun();

describe('The page of a city', () => {
  it('shows each area with its spaces now and later, and what else is said of it', async () => {
    const { text, title } = await getPage(CITY_PAGE);
    expect(title).toBe('Parking in Roma');
    expect(text).toContain('<time datetime="2026-03-07T12:00:00+01:00">12:00</time>');
    expect(areasOf(text)).toEqual([
      'Via Milano On street Available 10 free of 10 Directions Map app',
      'Parcheggio Centro Car park Piazza Centrale 1 Almost full 1 free of 4 → 2 in 30 min ' +
        'Price 2 € l’ora Max height 2.10 m Disabled bays 2 Charging 0 Directions Map app Website',
      'Via Roma On street Not known',
    ]);
    expect(text).toContain('aria-label="In 30 min 2, in 60 min 3"');
    expect(text).toContain('href="https://parcheggi.example/centro?a=1&amp;b=2"');
    const { latitude, longitude } = AT_CENTRO;
    const point = `${latitude},${longitude}`;
    expect(text).toContain(`href="https://www.openstreetmap.org/directions?to=${point}"`);
    expect(text).toContain(`href="geo:${point}?q=${point}"`);
    expect(text).toContain(`data-lat="${latitude}" data-lon="${longitude}"`);
  });

  it('says at which hours payment is due, and until when it is or is not', async () => {
    const days = ['sun', 'sat'];
    const workdays = ['mon', 'tue', 'wed', 'thu', 'fri'];
    await put({
      areas: [
        { code: 'P1', paid_hours: [{ days, from: '08:00', to: '20:00' }] },
        {
          code: 'S2',
          paid_hours: [
            { days: [...workdays, 'sat'], from: '14:30', to: '20:00' },
            { days: [...workdays, 'holiday'], from: '08:00', to: '13:00' },
          ],
        },
        { code: 'S1', paid_hours: [] },
      ],
    });
    await minuteRuns();
    for (const [lang, term, ...expected] of [
      [
        ...['en', 'Pay', 'Sat, Sun 08:00–20:00 (due until Sat 20:00)'],
        'Mon–Fri 08:00–13:00, 14:30–20:00; Sat 14:30–20:00; holidays 08:00–13:00 (not due until Sat 14:30)',
        'not due',
      ],
      [
        ...['it', 'A pagamento', 'sab, dom 08:00–20:00 (dovuto fino a sab 20:00)'],
        'lun–ven 08:00–13:00, 14:30–20:00; sab 14:30–20:00; festivi 08:00–13:00 (non dovuto fino a sab 14:30)',
        'non dovuto',
      ],
    ]) {
      const { text } = await getPage(`${CITY_PAGE}?sort=name&lang=${lang}`);
      const rows = [...text.matchAll(new RegExp(`<dt>${term}</dt><dd>(.*?)</dd>`, 'g'))];
      const words = rows.map(([, said = '']) => said.replaceAll(/<.*?>/g, ''));
      expect(words).toEqual(expected);
    }
    await put({ areas: ['P1', 'S1', 'S2'].map((code) => ({ code, paid_hours: null })) });
  });

  it('links to the statements of its municipality, where it has them', async () => {
    const footer = async () => (await getPage(CITY_PAGE)).text.match(/<footer.*<\/footer>/s)?.[0];
    expect(await footer()).not.toContain('Data protection');
    await put({
      data_protection_url: 'https://a.example/privacy',
      accessibility_url: 'https://a.example/a?b&c',
    });
    expect(await footer()).toContain(
      '<a href="https://a.example/privacy" rel="noopener">Data protection</a>',
    );
    expect(await footer()).toContain(
      '<a href="https://a.example/a?b&amp;c" rel="noopener">Accessibility</a>',
    );
    expect((await getPage('/embed/H501')).text).not.toMatch(/<footer|<header/);
    await put({ data_protection_url: null, accessibility_url: null });
  });

  it('leads to the data, which have a page with two snippets to copy', async () => {
    const city = await getPage(`${CITY_PAGE}?lang=it&area_type=street`);
    expect(city.text).toContain(`href="${CITY_PAGE}/data?lang=it"`);
    const { text, title } = await getPage(`${CITY_PAGE}/data?lang=it`);
    expect(title).toBe('Dati aperti di Roma');
    for (const name of ['occupancy', 'occupancy.geojson', 'parking-publication-light']) {
      expect(text).toContain(`href="/api/v2/public/municipalities/H501/${name}"`);
    }
    expect(text).toContain(
      '&lt;parking-occupancy base=&quot;https://parking.test&quot; municipality=&quot;H501&quot; lang=&quot;it&quot;&gt;',
    );
    expect(text).toContain('&lt;iframe src=&quot;https://parking.test/embed/H501?lang=it&quot;');
  });

  it.each([
    ['?area_type=street', ['Via Milano', 'Via Roma']],
    ['?area_type=park', ['Via Milano', 'Parcheggio Centro', 'Via Roma']],
    ['?sort=name', ['Parcheggio Centro', 'Via Milano', 'Via Roma']],
    ['?sort=near', ['Via Milano', 'Parcheggio Centro', 'Via Roma']],
    ['?area=S2&area=P1', ['Via Milano', 'Parcheggio Centro']],
    ['?area=S2&area=NONE', ['Via Milano']],
    ['?area=NONE&sort=name', ['Parcheggio Centro', 'Via Milano', 'Via Roma']],
    ['?q=via+MI', ['Via Milano']],
    ['?q=via&area_type=facility', []],
    ['?page=7', ['Via Milano', 'Parcheggio Centro', 'Via Roma']],
    ['?page=-1&q=', ['Via Milano', 'Parcheggio Centro', 'Via Roma']],
  ])('shows for %s %j', async (query, names) => {
    for (const path of [CITY_PAGE, '/embed/H501']) {
      const { status, text } = await getPage(path + query);
      expect(status).toBe(200);
      const shown = [...text.matchAll(/<h2><bdi>(.*?)<\/bdi>/g)];
      expect(shown.map(([, name]) => name)).toEqual(names);
    }
  });

  it('offers what to show, and no type that would show nothing', async () => {
    const shown = async (query: string) =>
      (await getPage(CITY_PAGE + query)).text.match(/area_type=\w+|aria-label="Show"/g);
    expect(await shown('')).toEqual(['aria-label="Show"', 'area_type=facility', 'area_type=street']);
    expect(await shown('?q=via')).toBeNull();
  });

  it('leads from a frame to the whole city, in the language and with the type that it shows', async () => {
    const { text } = await getPage('/embed/H501?lang=it&area_type=street&area=S2&theme=dark');
    expect(text).toContain('<h1><a href="/cities/H501?lang=it&amp;area_type=street" target="_blank"');
  });

  it('has the colours that a frame asks for', async () => {
    expect((await getPage('/embed/H501?theme=dark')).text).toContain('<html lang="en" data-theme="dark">');
    expect((await getPage('/embed/H501?theme=pink')).text).toContain('<html lang="en">');
  });

  it('keeps what was chosen in its search and in its links', async () => {
    const { text } = await getPage(`${CITY_PAGE}?lang=de&area_type=street&sort=name&q=via`);
    expect(text).toContain('<input type="hidden" name="lang" value="de">');
    expect(text).toContain('<input type="hidden" name="area_type" value="street">');
    expect(text).toContain('<input type="hidden" name="sort" value="name">');
    expect(text).toContain('href="/cities/H501?lang=de&amp;sort=name&amp;q=via"');
    expect(text).toContain('href="/cities/H501?lang=fr&amp;area_type=street&amp;sort=name&amp;q=via"');
    expect(text).toContain('href="/cities/H501?lang=de&amp;area_type=street&amp;q=via"');
  });

  it.each([
    ['a mark', '<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['quotes', `O'Neill "Nord" & Sud`, 'O&#39;Neill &quot;Nord&quot; &amp; Sud'],
    ['200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['Arabic', 'موقف السيارات', 'موقف السيارات'],
  ])('escapes a name with %s, wherever it stands', async (_, name, written) => {
    await put({ name, areas: [{ code: 'P1', name, address: name, price_note: name }] });
    const { text } = await getPage(CITY_PAGE);
    // The title, the heading, the area, its address and its price.
    expect(text.split(written).length - 1).toBeGreaterThanOrEqual(5);
    expect(text).not.toContain('<script>');
    expect((await getPage('/')).text).toContain(`<bdi>${written}</bdi>`);
    await put({
      name: 'Roma',
      areas: [
        { code: 'P1', name: 'Parcheggio Centro', address: 'Piazza Centrale 1', price_note: '2 € l’ora' },
      ],
    });
  });

  it.each(['/cities/NONE', '/embed/PRIVATE', '/cities/%3Cb%3E'])(
    'is a page that says so: %s',
    async (path) => {
      const { status, text, headers } = await getPage(path);
      expect([status, headers.get('Cache-Control')]).toEqual([404, 'no-store, private']);
      expect(text).toContain('<h1>Page not found</h1>');
    },
  );

  it('is a page that asks for patience where there is no snapshot', async () => {
    vi.setSystemTime(NOW + 10 * MINUTE_MS);
    const { status, text, headers } = await getPage(CITY_PAGE);
    expect([status, headers.get('Retry-After')]).toEqual([500, '1']);
    expect(text).toContain('<h1>The page cannot be shown right now</h1>');
  });

  it('shows nothing old as new, at the minute', async () => {
    const at = async (minutes: number) => {
      vi.setSystemTime(NOW + minutes * MINUTE_MS);
      await minuteRuns();
      return (await getPage(CITY_PAGE)).text;
    };
    expect(await at(15)).toContain('<div id="live" class="good"');
    const late = await at(16);
    expect(late).toContain('<div id="live" class="degraded"');
    expect(late).toContain('Some payments reach us late');
    expect(areasOf(late)[0]).toBe('Via Milano On street Available 10 free of 10 Directions Map app');
    expect(late).toContain('Figures last known at <time datetime="2026-03-07T12:00:00+01:00">12:00</time>.');
    const outdated = await at(61);
    expect(outdated).toContain('<div id="live" class="outdated"');
    expect(outdated).toContain('No payments have reached us since 12:00: free spaces are not known.');
    expect(outdated).not.toContain('<time');
    expect(outdated).not.toContain('last known');
    expect(areasOf(outdated).filter((area) => !area.includes('Not known'))).toEqual([]);
    await put({ areas: [{ code: 'S2', closed_until: '2026-03-08T06:00:00+01:00' }] });
    expect(areasOf(await at(62))).toContain(
      'Via Milano On street Closed until 8 Mar 2026, 06:00 Directions Map app',
    );
    await put({ areas: [{ code: 'S2', closed_until: null }] });
  });
});

describe('The weight of a page', () => {
  it('of 2,000 areas is 30 KiB at most with its script: a hundred of them, of which each can be found', async () => {
    await seed({
      areas: Array.from({ length: 2_000 }, (_, index) => ({
        ...FACILITY,
        ...{ id: index + 1_000, code: `B${index}`, name: `Garage ${index} ${crypto.randomUUID()}` },
        ...{ capacity: 50, address: `Via ${crypto.randomUUID()}`, latitude: 45 + index / 9_000 },
        ...{ longitude: 7, priceNote: `${index} € l’ora, mai di notte`, maxHeightCm: 180 + (index % 60) },
        ...{ website: `https://parcheggi.example/${crypto.randomUUID()}`, disabledSpaces: index },
      })),
    });
    vi.setSystemTime(NOW + 7_000);
    await minuteRuns();
    vi.setSystemTime(NOW + 14_000);
    const numbered = (text: string) => areasOf(text).map((area) => area.split(' ').slice(0, 2).join(' '));
    const first = await getPage(CITY_PAGE);
    expect(areasOf(first.text)).toHaveLength(100);
    const script = await getPage('/pages/live.js');
    expect((await gzipped(first.text)) + (await gzipped(script.text))).toBeLessThanOrEqual(MAX_BYTES);
    expect(first.text).toContain('1 to 100 of 2,003');
    expect(first.text).toContain(`rel="next" href="${CITY_PAGE}?page=2"`);
    // As people count: 20 comes after 3.
    const named = await getPage(`${CITY_PAGE}?sort=name`);
    expect(numbered(named.text).slice(0, 4)).toEqual(['Garage 0', 'Garage 1', 'Garage 2', 'Garage 3']);
    const last = await getPage(`${CITY_PAGE}?page=21`);
    expect(areasOf(last.text)).toHaveLength(3);
    const found = await getPage(`${CITY_PAGE}?q=garage+1999`);
    expect(numbered(found.text)).toEqual(['Garage 1999']);
  });
});

describe('The areas in the address of a page', () => {
  const read = (codes: readonly string[]) =>
    readAsked(
      new Request(`https://parking.test/cities/H501?${codes.map((code) => `area=${code}`).join('&')}`),
    );

  it('count once each, in the order in which they are named', () => {
    expect(read(['S2', 'S1', 'S2', 'S1']).query.area).toEqual(['S2', 'S1']);
    expect(here(read(Array(1_400).fill('S1')), {})).toBe('/cities/H501?area=S1');
  });

  it('are 200 at most: every link of the page repeats them', () => {
    const codes = Array.from({ length: 1_400 }, (_, index) => `S${index + 1}`);
    expect(read(codes).query.area).toEqual(codes.slice(0, 200));
  });
});
