import { describe, expect, it } from 'vitest';
import { City } from '../support/city.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import {
  aSessionLine,
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

const cost = { queries: 0, rowsRead: 0, rowsWritten: 0 };
const service = new Service({
  DB: watchedDb({
    before: (statements) => {
      cost.queries += statements.length;
    },
    after: (_sql, meta) => {
      cost.rowsRead += meta.rows_read;
      cost.rowsWritten += meta.rows_written;
    },
  }),
});
const city = new City(
  { ...CITY, areas: [...CITY.areas, { ...CITY.areas[0], id: 7, code: '1' }] },
  { anew: true },
);

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

async function importFile(path: string, { body, lines }: { body: string; lines: number }) {
  Object.assign(cost, { queries: 0, rowsRead: 0, rowsWritten: 0 });
  const answer = await send(service, path, body, city.headers);
  return {
    counts: countsOf(answer),
    queries: cost.queries,
    readPerLine: cost.rowsRead / lines,
    writtenPerLine: cost.rowsWritten / lines,
  };
}

/** The shortest lines that are taken: the most that a file can hold. */
const shortSession = (index: number) => ({
  session_id: index.toString(36),
  plate: index.toString(36).toUpperCase(),
  area_code: '1',
  starts_at: '2026-03-10T12:00Z',
});

describe(`A file of ${MIB} MiB`, { timeout: shortOrThorough(60_000, 300_000) }, () => {
  it('of the shortest sessions stays within the queries of one request, new and again', async () => {
    const shortest = fullFile(shortSession);
    const { lines } = shortest;
    expect(lines).toBeGreaterThan(11_250 * MIB);
    const first = await importFile(SESSIONS, shortest);
    expect(first.counts).toEqual(counts({ received: lines, created: lines }));
    expect(first.queries).toBeLessThan(QUERIES);
    const again = await importFile(SESSIONS, shortest);
    expect(again.counts).toEqual(counts({ received: lines, unchanged: lines }));
    expect(again.queries).toBeLessThan(QUERIES);
  });

  it('of bad lines with a good one among each thousand does too', async () => {
    const good = JSON.stringify(aSessionLine());
    const block = `${good}\n${'x\n'.repeat(1_000)}`;
    const blocks = Math.floor(FILE_BYTES / block.length);
    const { counts: made, queries } = await importFile(SESSIONS, {
      body: block.repeat(blocks),
      lines: blocks * 1_001,
    });
    expect(made).toEqual(
      counts({
        received: blocks * 1_001,
        created: 1,
        unchanged: blocks - 1,
        rejected: blocks * 1_000,
      }),
    );
    expect(queries).toBeLessThan(100);
  });

  it('reads and writes few rows per line, into a full table as into an empty one', async () => {
    const sessions = fullFile((index) => aSessionLine({ session_id: `s-${index}`, plate: `P${index}` }));
    const first = await importFile(SESSIONS, sessions);
    // The row and its four indexes.
    expect(first.writtenPerLine).toBeLessThan(5.1);
    expect(first.readPerLine).toBeLessThan(8);
    const again = await importFile(SESSIONS, sessions);
    // Its row, to judge it and to leave it.
    expect(again.readPerLine).toBeLessThan(5);
    expect(again.writtenPerLine).toBeLessThan(0.01);
  });

  it('holds subscriptions of the longest lists', async () => {
    const plates = Array.from({ length: 10 }, (_, index) => ({ plate: `P${index}` }));
    const periods = Array.from({ length: 500 }, (_, index) => ({
      starts_at: new Date(index * 1000).toISOString(),
      ends_at: new Date(index * 1000 + 1000).toISOString(),
    }));
    const long = fullFile((index) =>
      aSubscriptionLine({ subscription_number: `R-${index}`, plates, periods, areas: 'all' }),
    );
    const { counts: made, queries } = await importFile(SUBSCRIPTIONS, long);
    expect(made).toEqual(counts({ received: long.lines, created: long.lines }));
    expect(queries).toBeLessThan(QUERIES);
  });
});
