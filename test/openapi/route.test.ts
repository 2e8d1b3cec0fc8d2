import { beforeAll, describe, expect, it } from 'vitest';
import { RULE_PAGES } from '../../src/public/pages/rule-pages.ts';
import description from '../../src/serving/openapi/openapi.json' with { type: 'json' };
import { expectRefusal } from '../conformance/envelope.ts';
import { getPage } from '../pages/get-page.ts';
import { type Answer, Service } from '../support/service.ts';

const PATH = '/api/v2/openapi.json';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('GET /api/v2/openapi.json', () => {
  const service = new Service();
  let whole: Answer;
  const etag = (): string => whole.headers.get('ETag') ?? '';

  beforeAll(async () => {
    whole = await service.call(PATH);
  });

  it('answers everybody with the description, which may be kept for five minutes', () => {
    expect([whole.status, whole.body]).toEqual([200, description]);
    expect(whole.headers.get('Cache-Control')).toBe('public, max-age=300');
    expect(whole.headers.get('Content-Type')).toBe('application/json');
  });

  it('has its request id in the header alone, a new one each time', async () => {
    const again = await service.call(PATH, { headers: { 'X-Request-Id': 'mine' } });
    expect(again.headers.get('X-Request-Id')).toMatch(UUID);
    expect(again.headers.get('X-Request-Id')).not.toBe(whole.headers.get('X-Request-Id'));
    expect(again.body).not.toHaveProperty('request_id');
  });

  it.each([
    ['the very tag', () => etag()],
    ['a weak one', () => `W/${etag()}`],
    ['one of several', () => `"other", ${etag()}`],
    ['any', () => '*'],
  ])('answers 304 without a body to a client that has it: %s', async (_, ifNoneMatch) => {
    const answer = await service.call(PATH, { headers: { 'If-None-Match': ifNoneMatch() } });
    expect([answer.status, answer.body]).toEqual([304, null]);
    expect(answer.headers.get('X-Request-Id')).toMatch(UUID);
    expect(answer.headers.get('ETag')).toBe(etag());
    expect(answer.headers.get('Cache-Control')).toBe('public, max-age=300');
  });

  it.each(['"other"', 'W/"other"', ''])('answers whole to one that has %j', async (tag) => {
    const answer = await service.call(PATH, { headers: { 'If-None-Match': tag } });
    expect([answer.status, answer.body]).toEqual([200, description]);
  });

  it('speaks to pages of any origin, preflight included', async () => {
    const headers = { Origin: 'https://page.test', 'Access-Control-Request-Method': 'GET' };
    const preflight = await service.call(PATH, { method: 'OPTIONS', headers });
    expect([preflight.status, preflight.body]).toEqual([204, null]);
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('GET');
    const notModified = await service.call(PATH, { headers: { ...headers, 'If-None-Match': etag() } });
    for (const answer of [preflight, whole, notModified]) {
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(answer.headers.get('X-Request-Id')).toMatch(UUID);
    }
  });

  it('answers a path that is not quite its own with 404', async () => {
    for (const path of [`${PATH}/`, '/openapi.json', '/api/v2/openapi']) {
      expectRefusal(await service.call(path), 404, 'NOT_FOUND');
    }
  });

  it('answers 500 when it was not deployed, and nobody keeps that', async () => {
    const ASSETS = {
      fetch: async () => new Response('no such asset', { status: 404 }),
    } as unknown as Fetcher;
    expectRefusal(await new Service({ ASSETS }).call(PATH), 500, 'TEMPORARY_ERROR');
  });
});

describe('GET /docs', () => {
  const service = new Service();
  const policy = async (path: string) => {
    const { status, headers } = await service.call(path);
    return [status, headers.get('Content-Type'), headers.get('Content-Security-Policy')];
  };

  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ...RULE_PAGES.map((path) => [path, 'text/html; charset=utf-8']),
  ])('serves %s with a policy that lets it load from here alone', async (path, type) => {
    const [status, contentType, csp] = await policy(path);
    expect([status, contentType]).toEqual([200, type]);
    expect(csp).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(csp).not.toMatch(/unsafe|https?:|\*/);
  });

  it('leads to the rules of each operation, and from there to no page that is not served', async () => {
    const guide = description.info.description;
    expect(RULE_PAGES.filter((path) => !guide.includes(`](${path})`))).toEqual([]);
    for (const path of RULE_PAGES) {
      const { text } = await getPage(path);
      const links = [...text.matchAll(/href="(\/[^"#]*)/g)].map(([, link = '']) => link);
      expect(links).toContain('/docs');
      const answers = await Promise.all([...new Set(links)].map((link) => service.call(link)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
  });

  it('shows rules as tables, under headings that can be linked to', async () => {
    const { text, title } = await getPage('/docs/interface/plate-check');
    expect(title).toBe('Plate check: the rules');
    expect(text).toContain('<td><code>FIRST_<wbr>ACTIVATION_<wbr>REQUIRED</code></td>');
    expect(text).toContain('<h2 id="the-gate">The gate</h2>');
  });

  it('serves no other file', async () => {
    for (const path of [
      '/docs/',
      '/docs.html',
      '/docs/index.html',
      '/docs/../openapi.json',
      '/docs/docs.js',
      '/docs/interface/README',
    ]) {
      expect((await service.call(path)).status).toBe(404);
    }
  });
});
