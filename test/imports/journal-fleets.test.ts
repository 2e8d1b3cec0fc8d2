import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/domain/instant.ts';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY, STREET } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { aSubscriptionLine, file, SUBSCRIPTIONS, send } from './support.ts';
import { watchedDb } from './watched-db.ts';

const AREAS = Array.from({ length: 10 }, (_, index) => ({ ...STREET, id: 10 + index, code: `Z${index}` }));
const PERIODS = Array.from({ length: 10 }, (_, index) => ({
  starts_at: new Date(2 * index * HOUR_MS).toISOString(),
  ends_at: new Date((2 * index + 1) * HOUR_MS).toISOString(),
}));
const fleet = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ plate: `AB${String(index).padStart(3, '0')}CD` }));
const lineOf = (changed: object) =>
  aSubscriptionLine({ areas: AREAS.map(({ code }) => code), periods: PERIODS, ...changed });

let headers: Record<string, string>;
beforeEach(async () => {
  await freshDatabase({ ...CITY, areas: [...CITY.areas, ...AREAS] });
  ({ headers } = await issueCredential());
});

/** What an import of one line keeps, and writes to the journal with its entries in indexes. */
async function costOf(line: object) {
  let written = 0;
  const after = (sql: string, meta: D1Meta) => {
    written += /^\s*insert into "journal"/.test(sql) ? meta.rows_written : 0;
  };
  const records = () =>
    env.DB.prepare(`select coalesce(sum(octet_length(record)), 0) as bytes from journal`).first<number>(
      'bytes',
    );
  const size = async () => (await env.DB.prepare('select 1').run()).meta.size_after;
  const [recordsBefore, before] = [await records(), await size()];
  const { body } = await send(
    new Service({ DB: watchedDb({ after }) }),
    SUBSCRIPTIONS,
    file([line]),
    headers,
  );
  expect(body).toMatchObject({ received: 1, rejected: 0, unchanged: 0 });
  return {
    records: ((await records()) ?? 0) - (recordsBefore ?? 0),
    kept: (await size()) - before,
    written,
  };
}

describe('What the plates of a subscription share', () => {
  it('is stored once a change, however many there are', async () => {
    const line = lineOf({ plates: fleet(500) });
    for (const change of [line, { ...line, authorized_until: '2030-01-01T00:00:00Z' }]) {
      const { records, kept, written } = await costOf(change);
      // Each plate has its own entries, and a row with entries in four indexes.
      expect(written).toBe(500 * 5 + 4);
      expect(records).toBeLessThan(JSON.stringify(line).length);
      expect(kept).toBeLessThan(500 * 300);
    }
  });

  it('is stored once where one plate comes, and nothing of the others', async () => {
    await costOf(lineOf({ plates: fleet(191) }));
    const { records, kept, written } = await costOf(lineOf({ plates: fleet(192) }));
    expect(written).toBe(5);
    expect(records).toBeLessThan(400);
    expect(kept).toBeLessThanOrEqual(4 * 4096);
  });
});
