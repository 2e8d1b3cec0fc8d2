import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { expectRefusal } from '../conformance/envelope.ts';
import {
  beginAfterTheRun,
  minuteRuns,
  NEIGHBOUR,
  NOW,
  seedCities,
  withoutDatabase,
} from '../public-occupancy/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { CITY_PAGE, getPage as get, gzipped, wordsOf } from './get-page.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const service = new Service();

beforeAll(seedCities);
beginAfterTheRun();

describe.each(['/', CITY_PAGE, `${CITY_PAGE}/data`, '/embed/H501', '/cities/NONE', '/cities/NONE/data'])(
  'The page at %s',
  (path) => {
    it.each([
      [{}, '', 'en'],
      [{ 'Accept-Language': 'it' }, '', 'it'],
      [{ 'Accept-Language': 'fr-CH, de;q=0.9' }, '', 'fr'],
      [{ 'Accept-Language': 'es, de;q=0.5' }, '', 'de'],
      [{ 'Accept-Language': 'it' }, '?lang=de', 'de'],
      [{ 'Accept-Language': 'it' }, '?lang=es', 'it'],
    ])('is for %j and %j in %s', async (headers, query, language) => {
      const answer = await get(path + query, headers);
      expect(answer.text).toContain(`<html lang="${language}"`);
      expect(answer.headers.get('Content-Language')).toBe(language);
      expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    });

    it('loads from this service alone, and has no inline script or style', async () => {
      const { text, headers } = await get(path);
      expect(headers.get('Content-Security-Policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; " +
          "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
          `frame-ancestors ${path.startsWith('/embed/') ? '*' : "'none'"}`,
      );
      expect(text).not.toMatch(/<style| style=| on\w+=|<script>/);
      expect(headers.get('X-Request-Id')).toMatch(UUID);
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    });

    it('answers POST with 405 and Allow', async () => {
      const answer = await service.call(path, { method: 'POST' });
      expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.get('Allow')).toBe('GET');
    });
  },
);

describe.each(['/', CITY_PAGE, `${CITY_PAGE}/data`, '/embed/H501'])('The page at %s', (path) => {
  it('may be kept for half a minute, by language, and is a 304 for whoever has it', async () => {
    const { headers } = await get(path);
    expect(headers.get('Cache-Control')).toBe('public, max-age=30');
    expect(headers.get('Vary')).toBe('Accept-Language');
    const again = await get(path, { 'If-None-Match': headers.get('ETag') ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
    for (const name of ['ETag', 'Cache-Control', 'Vary', 'Content-Security-Policy']) {
      expect(again.headers.get(name)).toBe(headers.get(name));
    }
    const other = await get(path, { 'If-None-Match': headers.get('ETag') ?? '', 'Accept-Language': 'it' });
    expect(other.status).toBe(200);
  });

  it('costs KV reads alone', async () => {
    const { cost, bindings } = countedBindings();
    await get(path, {}, new Service(bindings));
    expect(cost).toEqual({ roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: path === '/' ? 3 : 2 });
  });
});

describe('The control room', () => {
  it('may stand in no other page, and speaks Italian and English', async () => {
    const { status, headers, title } = await get('/board?lang=it');
    expect([status, title]).toEqual([200, 'Sala di controllo']);
    expect(headers.get('Content-Security-Policy')).toMatch(/frame-ancestors 'none'$/);
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    const german = await get('/board?lang=de', { 'Accept-Language': 'it' });
    expect(german.headers.get('Content-Language')).toBe('it');
    const script = await get('/pages/board.js');
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(script.text).not.toContain('localStorage');
  });
});

describe('The weight of a page', () => {
  it.each([
    ['/', 1_200],
    [CITY_PAGE, 2_000],
    ['/embed/H501', 1_500],
    ['/board?lang=it', 900],
    ['/pages/live.js', 1_300],
    ['/pages/style.css', 1_950],
    ['/pages/city.css', 950],
    ['/pages/docs.css', 420],
    ['/pages/board.js', 13_900],
    ['/office?lang=it', 900],
    ['/pages/work.css', 1_950],
  ])('at %s is no heavier, compressed', async (path, most) => {
    expect(await gzipped((await get(path)).text)).toBeLessThanOrEqual(most);
  });
});

describe('The page of all cities', () => {
  it('has those that are public, by name, each as a link that keeps the language', async () => {
    const { text, title } = await get('/?lang=it');
    expect(title).toBe('Posti liberi, adesso');
    expect([...text.matchAll(/href="(\/cities\/[^"]*)"/g)].map(([, href]) => href)).toEqual([
      `/cities/${NEIGHBOUR}?lang=it`,
      '/cities/H501?lang=it',
    ]);
  });

  it('says of each how many spaces are free, of how many, and as of when', async () => {
    const cards = async () =>
      [...(await get('/')).text.matchAll(/<li class="card.*?<\/li>/gs)].map(([card]) => wordsOf(card));
    expect(await cards()).toEqual([
      'Neighbour 300 free of 300 Available As of 11:00.',
      'Roma 11 free of 14 Available As of 12:00.',
    ]);
    vi.setSystemTime(NOW + 10 * MINUTE_MS);
    // No snapshot is recent enough.
    expect(await cards()).toEqual(['Neighbour', 'Roma']);
  });

  it('says so minute by minute to the readers of one isolate', async () => {
    const isolate = withoutDatabase();
    expect((await get('/', {}, isolate)).text).toContain('As of 12:00.');
    vi.setSystemTime(NOW + MINUTE_MS);
    await minuteRuns();
    expect((await get('/', {}, isolate)).text).toContain('As of 12:01.');
  });

  it.each([
    ['rom', 'Roma'],
    ['ÌGHB', 'Neighbour'],
  ])('finds %s, whatever the accents and the case', async (q, name) => {
    const { text } = await get(`/?q=${encodeURIComponent(q)}`);
    expect([...text.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, found]) => found)).toEqual([name]);
  });

  it('has a search from ten cities on, and shows a thousand, 24 a page', async () => {
    expect((await get('/')).text).not.toContain('role="search"');
    const directory = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ code: `C${index}`, name: `City ${index}`, timezone: 'Europe/Rome' },
    }));
    const held = (await env.SNAPSHOTS.get('public')) ?? '';
    await env.SNAPSHOTS.put('public', JSON.stringify(directory));
    // Past what this isolate holds.
    vi.setSystemTime(NOW + 6_000);
    expect((await get('/')).text).toContain('role="search"');
    const { cost, bindings } = countedBindings();
    const { text } = await get('/?page=42&q=city', {}, new Service(bindings));
    expect(cost.roundTrips).toBe(0);
    expect(text.match(/href="\/cities\//g)).toHaveLength(16);
    // As people count: 984 comes after 99.
    expect(text).toContain('City 984<');
    expect(text).toContain('985 to 1,000 of 1,000');
    expect(text).toContain('rel="prev" href="/?q=city&amp;page=41"');
    expect(text).not.toContain('rel="next"');
    await env.SNAPSHOTS.put('public', held);
    vi.setSystemTime(NOW + 12_000);
    await get('/');
  });

  it('says so where nothing is found, and escapes what was looked for', async () => {
    const { text } = await get(`/?q=${encodeURIComponent('<img src=x onerror=1>"')}`);
    expect(text).toContain('Nothing has “&lt;img src=x onerror=1&gt;&quot;” in its name.');
    expect(text).not.toContain('<img');
  });
});

describe('An address with a name in place of the code', () => {
  it.each([
    ['/cities/roma', '/cities/H501'],
    ['/cities/ROMA?lang=it&area_type=street', '/cities/H501?lang=it&area_type=street'],
    ['/cities/roma/data', '/cities/H501/data'],
    ['/embed/Roma', '/embed/H501'],
  ])('leads to the city: %s', async (path, address) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('Location')]).toEqual([302, address]);
  });

  it('is not found where no public city has it, and the page leads to those that are', async () => {
    const { status, text } = await get('/cities/private?lang=it');
    expect(status).toBe(404);
    expect(text).toContain('href="/cities/H501?lang=it"');
    expect(text).toContain('href="/?lang=it">Tutti i comuni</a>');
  });
});

describe('The widget’s script', () => {
  it('is for the pages of any origin, and may be kept for five minutes', async () => {
    const { status, headers, text } = await get('/widget/v1.js', { Origin: 'https://page.test' });
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
    expect(headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(text).toContain('parking-occupancy');
    const again = await get('/widget/v1.js', { 'If-None-Match': headers.get('ETag') ?? '' });
    expect([again.status, again.headers.get('ETag')]).toEqual([304, headers.get('ETag')]);
  });
});

it.each(['/index.html', '/cities', '/cities/', '/embed', '/home/home.js', '/widget/', '/widget/v2.js'])(
  'Paths that are none stay so: %s',
  async (path) => {
    expectRefusal(await service.call(path), 404, 'NOT_FOUND');
  },
);
