import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY, STREET } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSubscriptionLine,
  counts,
  countsOf,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
} from './support.ts';
import { watchedDb } from './watched-db.ts';

/** Eight is what an import takes: the short run tries an eighth of that, with an eighth of all limits. */
const MIB = shortOrThorough(1, 8);
const FILE_BYTES = MIB * 1024 * 1024;
/** D1 takes 1,000 of one request. A smaller file has smaller batches, and so more of them for each line. */
const QUERIES = shortOrThorough(150, 1_000);

let queries = 0;
const DB = watchedDb({
  before: (statements) => {
    queries += statements.length;
  },
});
const city = new City({ ...CITY, areas: [...CITY.areas, { ...STREET, id: 7, code: '1' }] }, { anew: true });

/** As many lines as an import takes. */
function fullFile(line: (index: number) => unknown): { body: string; lines: number } {
  const lines: string[] = [];
  for (let size = 0, index = 0; ; index++) {
    const text = JSON.stringify(line(index));
    size += text.length + 1;
    if (size > FILE_BYTES) return { body: lines.join('\n'), lines: lines.length };
    lines.push(text);
  }
}

/** Imports a file within the queries of one request. */
async function importFile(path: string, body: string) {
  queries = 0;
  const imported = countsOf(await send(new Service({ DB }), path, body, city.headers));
  expect(queries).toBeLessThan(QUERIES);
  return imported;
}

describe(`A file of ${MIB} MiB stays within the queries of one request`, {
  timeout: shortOrThorough(60_000, 300_000),
}, () => {
  it('of the shortest sessions, new and again', async () => {
    const { lines, body } = fullFile((index) => ({
      ...{ session_id: index.toString(36), plate: index.toString(36).toUpperCase() },
      ...{ area_code: '1', starts_at: '2026-03-10T12:00Z' },
    }));
    expect(lines).toBeGreaterThan(11_250 * MIB);
    expect(await importFile(SESSIONS, body)).toEqual(counts({ received: lines, created: lines }));
    expect(await importFile(SESSIONS, body)).toEqual(counts({ received: lines, unchanged: lines }));
  });

  it('of subscriptions with the longest lists', async () => {
    const plates = Array.from({ length: 10 }, (_, index) => ({ plate: `P${index}` }));
    const periods = Array.from({ length: 500 }, (_, index) => ({
      starts_at: new Date(index * 1000).toISOString(),
      ends_at: new Date(index * 1000 + 1000).toISOString(),
    }));
    const { lines, body } = fullFile((index) =>
      aSubscriptionLine({ subscription_number: `R-${index}`, plates, periods, areas: 'all' }),
    );
    expect(await importFile(SUBSCRIPTIONS, body)).toEqual(counts({ received: lines, created: lines }));
  });
});
