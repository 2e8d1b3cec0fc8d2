import { beforeAll, describe, expect, it } from 'vitest';
import { databaseDouble } from '../support/doubles.ts';
import { ADMIN, type Call, Service } from '../support/service.ts';
import {
  CITY,
  configurationOf,
  countsOf,
  inRome,
  issuePathsOf,
  mustPut,
  overtaken,
  PATH,
  put,
} from './support.ts';

const street = (index: number, name = `Via ${index}`) => ({ code: `S${index}`, name, area_type: 'street' });
const streets = (count: number, name?: string) =>
  Array.from({ length: count }, (_, index) => street(index, name));

beforeAll(async () => {
  await mustPut(CITY);
});

describe('a large document', () => {
  it('of 1,998 areas takes two round trips of a few statements, and three for its snapshot', async () => {
    const batches: number[] = [];
    const DB = databaseDouble({
      around: (run, sql) => {
        batches.push(sql.split(';').length);
        return run();
      },
    });
    const service = new Service({ DB });
    const document = (name?: string) => inRome({ areas: streets(1_998, name) });
    expect(await mustPut(document(), service)).toEqual({ created: 1_998 - 1, updated: 1, unchanged: 1 });
    // Two reads; the areas in chunks, the change and the version; then the snapshot: the list, the city, and the list.
    expect(batches).toEqual([2, 4, 1, 4, 1]);
    expect(await mustPut(document('Altra via'), service)).toEqual({
      created: 0,
      updated: 1_998,
      unchanged: 1,
    });
    expect(await mustPut(document('Altra via'), service)).toEqual({
      created: 0,
      updated: 0,
      unchanged: 1_999,
    });
    // Nothing changes: nothing is written.
    expect(batches.slice(10)).toEqual([2]);
  });

  it('of 1 MiB is put whole', async () => {
    const areas: string[] = [];
    for (let bytes = 1_000; bytes < 1_048_000; bytes += (areas.at(-1)?.length ?? 0) + 1) {
      areas.push(JSON.stringify(street(100_000 + areas.length, 'Via')));
    }
    // As many as a municipality may have, in each of ten.
    const cities = Array.from({ length: 10 }, (_, index) => {
      const code = `L${index}`;
      const own = areas.slice(index * 2_000, (index + 1) * 2_000).join(',');
      return `{"code":"${code}","name":"${code}","timezone":"Europe/Rome","tenant":"acme","areas":[${own}]}`;
    });
    const body = `{"municipalities":[${cities.join(',')}]}`;
    const call: Call = { method: 'PUT', body, headers: { ...ADMIN, 'Content-Type': 'application/json' } };
    expect(areas.length).toBeGreaterThan(18_000);
    expect(countsOf(await new Service().call(PATH, call))).toEqual({
      created: areas.length + 10,
      updated: 0,
      unchanged: 0,
    });
  }, 30_000);

  it('of nothing but errors lists the first 1,000', async () => {
    const areas = streets(2_000).map((area) => ({ ...area, capacity: -1 }));
    expect(issuePathsOf(await put(inRome({ areas })))).toHaveLength(1_000);
  });
});

describe('documents that are put at once', () => {
  const created = (index: number, tenant: string) => ({
    tenants: [{ code: tenant, name: tenant }],
    municipalities: [
      {
        ...CITY.municipalities[0],
        tenant,
        code: `R${index}`,
        areas: streets(20),
      },
    ],
  });

  it('never move a municipality: of two tenants one learns that it is too late', async () => {
    const answers = await put(
      created(2, 'late'),
      overtaken(() => mustPut(created(2, 'early'))),
    );
    expect(issuePathsOf(answers)).toEqual(['municipalities.0.tenant']);
    expect((await configurationOf('R2')).municipalities[0]?.tenant).toBe('early');
    // Its tenant was written in the same transaction, and is not there.
    expect(await mustPut({ tenants: [{ code: 'late', name: 'late' }] })).toMatchObject({ created: 1 });
  });

  it('do not undo what the other changes in the same item', async () => {
    const other = inRome({ areas: [{ code: 'P1', name: 'Nuovo', facility: { exit_grace_minutes: 9 } }] });
    const answer = await put(
      inRome({ areas: [{ code: 'P1', capacity: 5 }] }),
      overtaken(() => mustPut(other)),
    );
    expect(countsOf(answer)).toMatchObject({ updated: 1 });
    const [area] = (await configurationOf('H501')).municipalities[0]?.areas ?? [];
    expect(area).toMatchObject({
      code: 'P1',
      name: 'Nuovo',
      capacity: 5,
      facility: { exit_grace_minutes: 9 },
    });
  });

  it('do not switch a tenant on again that the other switches off', async () => {
    const answer = await put(
      { tenants: [{ code: 'acme', name: 'Acme 2' }] },
      overtaken(() => mustPut({ tenants: [{ code: 'acme', active: false }] })),
    );
    expect(countsOf(answer)).toMatchObject({ updated: 1 });
    expect((await configurationOf('H501')).tenants).toEqual([
      { code: 'acme', name: 'Acme 2', active: false },
    ]);
  });
});
