import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../support/fresh-database.ts';
import { ADMIN, Service } from '../support/service.ts';
import {
  CITY,
  CITY_ITEMS,
  configurationOf,
  get,
  inRome,
  issuePathsOf,
  mustPut,
  PATH,
  storedRome,
} from './support.ts';

beforeEach(() => freshDatabase());

describe('putting a document', () => {
  it('creates what there is not, and counts each item once', async () => {
    expect(await mustPut(CITY)).toEqual({ created: CITY_ITEMS, updated: 0, unchanged: 0 });
    expect(await configurationOf('H501')).toEqual(CITY);
  });

  it.each([[{}], [{ municipalities: [], tenants: [] }]])(
    'takes one that names nothing: %j',
    async (document) => {
      expect(await mustPut(document)).toEqual({ created: 0, updated: 0, unchanged: 0 });
    },
  );

  it('trims codes and texts, and compares codes exactly', async () => {
    await mustPut(CITY);
    const [known, other] = [
      { code: ' S1 ', name: ' Via Roma 2\t' },
      { code: 's1', name: 'Another', area_type: 'street' },
    ];
    expect(await mustPut(inRome({ name: '  Roma Capitale ', areas: [known, other] }))).toEqual({
      ...{ created: 1, updated: 2, unchanged: 0 },
    });
    const { name, areas } = await storedRome();
    expect(name).toBe('Roma Capitale');
    expect(areas.map((area) => area.name)).toEqual(['Parcheggio Centro', 'Via Roma 2', 'Another']);
  });

  it('gives new items random ids, which no restored sequence gives out again', async () => {
    const ids: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      await mustPut(CITY);
      for (const table of ['tenants', 'areas', 'sources']) {
        const { results } = await env.DB.prepare(`select id from ${table}`).all<{ id: number }>();
        ids.push(...results.map(({ id }) => id));
      }
      // As if the database had been put back to before the document.
      await freshDatabase();
    }
    expect(new Set(ids).size).toBe(8);
    expect(ids.every((id) => Number.isSafeInteger(id) && id >= 1)).toBe(true);
    // All below 2^40 by chance: one in 2^56.
    expect(Math.max(...ids)).toBeGreaterThan(2 ** 40);
    expect(Math.max(...ids), 'six bytes').toBeLessThan(2 ** 47);
  });
});

describe('getting the configuration', () => {
  it('answers one municipality and its tenant in the form of a put, which can be put again', async () => {
    await mustPut(CITY);
    const { status, body, headers } = await get('H501');
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        ok: true,
        request_id: headers.get('X-Request-Id'),
        configuration: CITY,
        version: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    expect(await mustPut(body.configuration)).toEqual({ created: 0, updated: 0, unchanged: CITY_ITEMS });
  });

  it.each(['X999', 'h501'])('answers 404 for an unknown municipality: %s', async (code) => {
    await mustPut(CITY);
    expect(await get(code)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  });

  it.each([
    ['', ['municipality_code']],
    [`?municipality_code=${'x'.repeat(81)}`, ['municipality_code']],
    ['?municipality_code=H501&municipality_code=F205', ['municipality_code']],
    ['?municipality_code=H501&tenant=acme', ['tenant']],
  ])('answers 422 for the query %j', async (query, paths) => {
    expect(issuePathsOf(await new Service().call(`${PATH}${query}`, { headers: ADMIN }))).toEqual(paths);
  });
});
