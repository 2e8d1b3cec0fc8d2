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
  put,
  storedRome,
} from './support.ts';

beforeEach(() => freshDatabase());

describe('putting a document', () => {
  it('creates what there is not, and counts each item once', async () => {
    expect(await mustPut(CITY)).toEqual({ created: CITY_ITEMS, updated: 0, unchanged: 0 });
    expect(await configurationOf('H501')).toEqual(CITY);
  });

  it.each([[{}], [{ tenants: [] }], [{ municipalities: [], tenants: [] }]])(
    'takes one that names nothing: %j',
    async (document) => {
      expect(await mustPut(document)).toEqual({ created: 0, updated: 0, unchanged: 0 });
    },
  );

  it('answers the counts and the changes behind the envelope, and nothing else', async () => {
    const { body, headers } = await put(CITY);
    expect(body).toEqual({
      success: true,
      ok: true,
      request_id: headers.get('X-Request-Id'),
      created: CITY_ITEMS,
      updated: 0,
      unchanged: 0,
      changes: expect.any(Array),
    });
    expect(headers.get('Cache-Control')).toBe('no-store, private');
  });

  it('trims codes and texts', async () => {
    await mustPut(CITY);
    await mustPut(inRome({ name: '  Roma Capitale ', areas: [{ code: ' S1 ', name: ' Via Roma 2\t' }] }));
    const { name, areas } = await storedRome();
    expect([name, areas.map(({ name: areaName }) => areaName)]).toEqual([
      'Roma Capitale',
      ['Parcheggio Centro', 'Via Roma 2'],
    ]);
  });

  it('compares codes exactly', async () => {
    await mustPut(CITY);
    const other = { code: 's1', name: 'Another', area_type: 'street' };
    expect(await mustPut(inRome({ areas: [other] }))).toEqual({ created: 1, updated: 0, unchanged: 1 });
  });
});

describe('getting the configuration', () => {
  const service = new Service();

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

  it('answers every list, also of an inactive municipality that has nothing', async () => {
    const code = 'à la carte/?&';
    const bare = { code, name: 'Bare', timezone: 'UTC', tenant: 'acme', active: false };
    await mustPut({ tenants: CITY.tenants, municipalities: [bare] });
    const lists = { areas: [], sources: [], subscription_types: [], plans: [] };
    expect((await configurationOf(code)).municipalities).toMatchObject([{ ...bare, ...lists }]);
  });

  it.each(['X999', 'h501'])('answers 404 for an unknown municipality: %s', async (code) => {
    const { status, body } = await get(code);
    expect([status, body.error]).toEqual([404, { code: 'NOT_FOUND', message: expect.any(String) }]);
  });

  it.each([
    ['', ['municipality_code']],
    [`?municipality_code=${'x'.repeat(81)}`, ['municipality_code']],
    ['?municipality_code=H501&municipality_code=F205', ['municipality_code']],
    ['?municipality_code=H501&tenant=acme', ['tenant']],
  ])('answers 422 for the query %j', async (query, paths) => {
    expect(issuePathsOf(await service.call(`${PATH}${query}`, { headers: ADMIN }))).toEqual(paths);
  });
});
