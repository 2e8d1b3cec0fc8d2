import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { expectRefusal } from '../conformance/envelope.ts';
import { beginAfterTheRun, NEIGHBOUR, NOW, seedCities } from '../public-occupancy/city.ts';
import { countedBindings } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { CITY_PAGE, getPage as get, gzipped } from './get-page.ts';

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

    it('runs no inline script, and names its one style by its digest', async () => {
      const { text, headers } = await get(path);
      const style = text.match(/<style>(.*)<\/style>/s)?.[1] ?? '';
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)));
      expect(headers.get('Content-Security-Policy')).toBe(
        "default-src 'none'; script-src 'self'; " +
          `style-src 'self' 'sha256-${btoa(String.fromCharCode(...digest))}'; ` +
          "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
          `frame-ancestors ${path.startsWith('/embed/') ? '*' : "'none'"}`,
      );
      expect(text).not.toMatch(/ style=| on\w+=|<script>/);
      expect(headers.get('X-Request-Id')).toMatch(UUID);
      expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    });

    it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 405 and Allow', async (method) => {
      const answer = await service.call(path, { method });
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
    expect(cost).toEqual({ roundTrips: 0, rowsRead: 0, objectCalls: 0, kvCalls: path === '/' ? 1 : 2 });
  });
});

describe('The control room', () => {
  it('sends no form anywhere, may stand in no other page, and has a field without a name', async () => {
    const { status, headers, text, title } = await get('/board?lang=it');
    expect([status, title]).toEqual([200, 'Sala di controllo']);
    expect(headers.get('Content-Security-Policy')).toMatch(/form-action 'none'; frame-ancestors 'none'$/);
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(text.match(/<input[^>]*>/g)).toEqual([expect.not.stringContaining(' name=')]);
    const script = await get('/pages/board.js');
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(script.text).not.toContain('localStorage');
  });
});

describe('The weight of a page', () => {
  it.each([
    ['/', null, 1_800],
    [CITY_PAGE, '/pages/live.js', 5_300],
    ['/embed/H501', '/pages/live.js', 4_605],
    ['/board?lang=it', null, 3_880],
  ])('at %s is no heavier, compressed, with its script %s', async (path, script, most) => {
    const texts = [path, ...(script === null ? [] : [script])].map(async (one) =>
      gzipped((await get(one)).text),
    );
    const bytes = (await Promise.all(texts)).reduce((sum, one) => sum + one, 0);
    expect(bytes).toBeLessThanOrEqual(most);
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

  it.each([
    ['rom', 'Roma'],
    ['ÌGHB', 'Neighbour'],
  ])('finds %s, whatever the accents and the case', async (q, name) => {
    const { text } = await get(`/?q=${encodeURIComponent(q)}`);
    expect([...text.matchAll(/<bdi>(.*?)<\/bdi>/g)].map(([, found]) => found)).toEqual([name]);
  });

  it('shows a thousand cities, a hundred a page, from one read', async () => {
    const names = Array.from({ length: 1_000 }, (_, index) => [`C${index}`, `City ${index}`, 'Europe/Rome']);
    const held = (await env.SNAPSHOTS.get('public')) ?? '';
    await env.SNAPSHOTS.put('public', JSON.stringify({ version: 1, municipalities: names }));
    // Past what this isolate holds.
    vi.setSystemTime(NOW + 6_000);
    const { cost, bindings } = countedBindings();
    const { text } = await get('/?page=10&q=city', {}, new Service(bindings));
    expect(cost).toMatchObject({ roundTrips: 0, kvCalls: 1 });
    expect(text.match(/href="\/cities\//g)).toHaveLength(100);
    // As people count: 900 comes after 99.
    expect(text).toContain('City 900<');
    expect(text).toContain('901 to 1,000 of 1,000');
    expect(text).toContain('rel="prev" href="/?q=city&amp;page=9"');
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
