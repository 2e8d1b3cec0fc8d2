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
  readonly recorded_at: number;
  readonly request_id: string | null;
  readonly record: Record<string, unknown>;
}

/** The versions of configurations, in their order. */
async function recorded(): Promise<Recorded[]> {
  const { results } = await env.DB.prepare(
    `select m.code, v.recorded_at, lower(hex(c.request_id)) as request_id, v.record
     from configuration_versions as v join municipalities as m on m.id = v.municipality_id
     join changes as c on c.municipality_id = v.municipality_id and c.recorded_at = v.recorded_at
     order by v.recorded_at, m.code`,
  ).all<Recorded & { record: string }>();
  return results.map((row) => ({ ...row, record: JSON.parse(row.record) as Record<string, unknown> }));
}

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
      recorded_at: NOW + 1,
      request_id: String(body.request_id).replaceAll('-', ''),
    });
    const [answered] = (await configurationOf('H501')).municipalities as Record<string, unknown>[];
    expect(rows[1]?.record).toMatchObject({ ...answered, name: 'Roma Capitale' });
  });

  it('are none of a document that changes nothing, also when its first answer was lost', async () => {
    await mustPut(CITY);
    expect(await recorded()).toHaveLength(1);
    let isLost = false;
    const DB = databaseDouble({
      around: async (run, sql) => {
        const result = await run();
        if (!isLost && sql.includes('insert into "configuration_versions"')) {
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

  it('never go back in time, though the clock of another isolate is behind', async () => {
    vi.setSystemTime(NOW - MINUTE_MS);
    await put(inRome({ name: 'Behind' }), new Service());
    vi.setSystemTime(NOW + MINUTE_MS);
    await put(inRome({ name: 'Ahead' }), new Service());
    expect((await recorded()).map(({ recorded_at }) => recorded_at)).toEqual([NOW, NOW + 1, NOW + MINUTE_MS]);
  });
});

it('A configuration and its versions stay in step when the database fails', async () => {
  const [before, rows] = [await configurationOf('H501'), await recorded()];
  await env.DB.exec(
    `create trigger fails before insert on configuration_versions begin select raise(abort, 'no'); end`,
  );
  const document = inRome({ name: 'Half done', areas: [{ code: 'S1', capacity: 1 }] });
  expect((await put(document)).status).toBe(500);
  expect(await configurationOf('H501')).toEqual(before);
  expect(await recorded()).toEqual(rows);
  await env.DB.exec('drop trigger fails');
  await mustPut(document);
  expect(await recorded()).toHaveLength(rows.length + 1);
});
