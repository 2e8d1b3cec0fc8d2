import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../conformance/envelope.ts';
import { Service } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const service = new Service();

describe('The page at /', () => {
  it.each([
    ['en', 'Free parking, now'],
    ['it', 'Posti liberi, adesso'],
  ])('is in the language that the reader prefers: %s', async (language, title) => {
    const { response } = await raw('/', { 'Accept-Language': language });
    expect(await response.text()).toContain(`<title>${title}</title>`);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('Content-Language')).toBe(language);
    expect(response.headers.get('Vary')).toBe('Accept-Language');
  });

  it.each(['/', '/home/home.js', '/home/home.css'])(
    'may load %s and the like from here alone',
    async (path) => {
      const { response } = await raw(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Security-Policy')).toBe(POLICY);
      expect(response.headers.get('X-Request-Id')).toMatch(UUID);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
    },
  );

  it.each(['/index.html', '/home', '/home/', '/home/index.en.html', '/widget', '/widget/', '/widget/v2.js'])(
    'changes nothing for paths that are none: %s',
    async (path) => {
      expectRefusal(await service.call(path), 404, 'NOT_FOUND');
    },
  );
});

describe('The widget’s script', () => {
  it('is for the pages of any origin, and may be kept for five minutes', async () => {
    const { response } = await raw('/widget/v1.js', { Origin: 'https://page.test' });
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(response.headers.get('X-Request-Id')).toMatch(UUID);
    expect(await response.text()).toContain('parking-occupancy');
  });
});

describe.each(['/', '/widget/v1.js'])('%s', (path) => {
  it('answers 304 to a browser that has it, with the same headers', async () => {
    const { response } = await raw(path);
    const tag = response.headers.get('ETag') ?? '';
    const again = await service.call(path, { headers: { 'If-None-Match': tag } });
    expect([again.status, again.body]).toEqual([304, null]);
    for (const name of ['ETag', 'Access-Control-Allow-Origin', 'Vary', 'Cache-Control']) {
      expect(again.headers.get(name)).toBe(response.headers.get(name));
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 405 and Allow', async (method) => {
    const answer = await service.call(path, { method });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('Allow')).toBe('GET');
  });
});

/** Pages and scripts are no JSON: as they came. */
async function raw(path: string, headers: Record<string, string> = {}) {
  const sent = await service.send(new Request(`https://parking.test${path}`, { headers }));
  return { response: new Response(sent.text, { status: sent.status, headers: sent.headers }) };
}
