import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { refreshSnapshots } from '../../src/core/snapshots/refresh.ts';
import { instant } from '../../src/domain/instant.ts';
import { CITIES, city, putDocument } from '../databases/nation.ts';
import { databaseDouble } from '../support/doubles.ts';
import { Service } from '../support/service.ts';
import { prepareSeveral, SEVERAL } from '../support/several.ts';

beforeAll(async () => {
  await prepareSeveral();
  await putDocument(new Service(SEVERAL), { tenants: [{ code: 'acme', name: 'Acme' }] });
});

/** As many cities as that in each database. */
const cities = (count: number) =>
  CITIES.flatMap(({ code, database }) =>
    Array.from({ length: count }, (_, index) => city({ code: `${code}-${index}`, name: 'x', database })),
  );

/** The most batches of municipalities that are read at once in a run, and how many are read in all. */
async function batchesOfARun() {
  const read = { atOnce: 0, most: 0, all: 0 };
  const around = async (run: () => Promise<unknown>, sql: string) => {
    if (!sql.includes(';')) return run();
    read.all += 1;
    read.atOnce += 1;
    read.most = Math.max(read.most, read.atOnce);
    await scheduler.wait(100);
    const result = await run();
    read.atOnce -= 1;
    return result;
  };
  const databases = Object.entries(SEVERAL).map(([name, db]) => [name, databaseDouble({ around }, db)]);
  await refreshSnapshots({ ...env, ...Object.fromEntries(databases) }, () => instant(Date.now()));
  return read;
}

describe('What a run has in memory', () => {
  it('is of all databases at once where there is little of each', async () => {
    await putDocument(new Service(SEVERAL), { municipalities: cities(10) });
    expect(await batchesOfARun()).toMatchObject({ most: 3, all: 3 });
  });

  it('is of two where there is much, however many are read side by side, in no more batches', async () => {
    await putDocument(new Service(SEVERAL), { municipalities: cities(50) });
    expect(await batchesOfARun()).toMatchObject({ most: 2, all: 6 });
  });
});
