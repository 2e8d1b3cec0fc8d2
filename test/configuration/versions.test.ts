import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { Service } from '../support/service.ts';
import { CITY, configurationOf, inRome, mustPut, put } from './support.ts';

const NOW = Date.UTC(2026, 2, 10, 11);
const MINUTE_MS = 60_000;

interface Recorded {
  readonly code: string | null;
  readonly part: number;
  readonly recorded_at: number;
  readonly request_id: string | null;
  readonly record: Record<string, unknown>;
}

/** The versions of configurations, in their order. */
async function recorded(): Promise<Recorded[]> {
  const { results } = await env.DB.prepare(
    `select m.code, v.part, v.recorded_at, lower(hex(c.request_id)) as request_id, v.record
     from configuration_versions as v join municipalities as m on m.id = v.municipality_id
     join changes as c on c.municipality_id = v.municipality_id and c.recorded_at = v.recorded_at
     order by v.recorded_at, m.code, v.part`,
  ).all<Recorded & { record: string }>();
  return results.map((row) => ({ ...row, record: JSON.parse(row.record) as Record<string, unknown> }));
}

const street = (index: number) => ({
  code: `S${String(index).padStart(4, '0')}`,
  name: `Via ${index}`,
  area_type: 'street',
});
const milan = { ...CITY.municipalities[0], code: 'F205', name: 'Milano' };

beforeEach(async () => {
  await freshDatabase({});
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  await mustPut(CITY);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('The versions of a configuration', () => {
  it('are of a municipality as a whole, with the request that made it so', async () => {
    const { body } = await put(inRome({ name: 'Roma Capitale' }));
    const rows = await recorded();
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({
      code: 'H501',
      part: 0,
      recorded_at: NOW + 1,
      request_id: String(body.request_id).replaceAll('-', ''),
    });
    const [answered] = (await configurationOf('H501')).municipalities as Record<string, unknown>[];
    // In which database it lives is not part of what was known.
    const { database: _, ...stored } = answered ?? expect.fail('no municipality');
    expect(rows[1]?.record).toMatchObject({ ...stored, name: 'Roma Capitale', tenant_active: true });
  });

  it('are none of a document that changes nothing, also when its first answer was lost', async () => {
    await mustPut(CITY);
    expect(await recorded()).toHaveLength(1);
    let isLost = false;
    const DB = databaseDouble({
      around: async (run, sql) => {
        const result = await run();
        if (!isLost && sql.includes('configuration_versions')) {
          isLost = true;
          throw new Error('D1_ERROR: Network connection lost.');
        }
        return result;
      },
    });
    const document = inRome({ name: 'Roma Capitale' });
    expect((await put(document, new Service({ DB }))).status).toBe(500);
    expect(isLost).toBe(true);
    await mustPut(document);
    expect(await recorded()).toHaveLength(2);
  });

  it('are one for each municipality that a change of its tenant touches, and none of another', async () => {
    await mustPut({
      tenants: [{ code: 'other', name: 'Other' }],
      municipalities: [milan, { ...milan, code: 'L219', name: 'Torino', tenant: 'other' }],
    });
    await mustPut({ tenants: [{ code: 'acme', name: 'A new name, which no answer shows' }] });
    expect(await recorded()).toHaveLength(3);
    await mustPut({ tenants: [{ code: 'acme', name: 'Acme', active: false }] });
    const rows = (await recorded()).slice(3);
    expect(rows.map(({ code }) => code).sort()).toEqual(['F205', 'H501']);
    expect(rows.every(({ record }) => record.tenant_active === false)).toBe(true);
  });

  it('have a very large municipality in several parts', async () => {
    await mustPut(inRome({ areas: Array.from({ length: 400 }, (_, index) => street(index)) }));
    await mustPut(inRome({ areas: [{ ...street(350), name: 'Another name' }] }));
    const rows = (await recorded()).slice(-3);
    expect(rows.map(({ part }) => part)).toEqual([0, 1, 2]);
    expect(rows[0]?.record).toMatchObject({ further_rows: 2 });
    const areas = rows.flatMap(({ record }) => record.areas as { readonly name: string }[]);
    expect(areas.filter(({ name }) => name === 'Another name')).toHaveLength(1);
    expect(areas).toHaveLength(402);
  });

  it('never go back in time, though the clock of another isolate is behind', async () => {
    vi.setSystemTime(NOW - MINUTE_MS);
    await put(inRome({ name: 'Behind' }), new Service());
    vi.setSystemTime(NOW + MINUTE_MS);
    await put(inRome({ name: 'Ahead' }), new Service());
    expect((await recorded()).map(({ recorded_at }) => recorded_at)).toEqual([NOW, NOW + 1, NOW + MINUTE_MS]);
  });
});

describe('A configuration and its versions', () => {
  it.each([
    ['a row of the document', "plans when new.code = '666'"],
    ['a version', 'configuration_versions'],
  ])('stay in step when the database fails at %s', async (_, table) => {
    const [before, rows] = [await configurationOf('H501'), await recorded()];
    await env.DB.exec(`create trigger fails before insert on ${table} begin select raise(abort, 'no'); end`);
    const document = inRome({
      name: 'Half done',
      plans: [{ ...CITY.municipalities[0]?.plans[0], codice_tariffa: '666' }],
    });
    expect((await put(document)).status).toBe(500);
    expect(await configurationOf('H501')).toEqual(before);
    expect(await recorded()).toEqual(rows);
    await env.DB.exec('drop trigger fails');
    await mustPut(document);
    expect(await recorded()).toHaveLength(rows.length + 1);
  });
});
