import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import performancePage from '../../docs/performance.md?raw';
import { instant } from '../../src/domain/instant.ts';
import { newRequestId } from '../../src/serving/middleware/begin.ts';
import { insertCalls } from '../../src/storage/call-log/call-log-table.ts';
import { CHECK, type Figures, SESSIONS } from '../../tools/cost/figures.ts';
import { reckon } from '../../tools/cost/reckon.ts';
import { issueCredential } from '../support/credential.ts';
import { databaseDouble } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { APP_SOURCE, CITY, FACILITY, RESIDENTS, ROME, STREET } from '../support/seed.ts';
import { Service } from '../support/service.ts';

/** So many that a page more or less is a byte of each. */
const MANY = shortOrThorough(2_000, 20_000);
const NOW = Date.now();

/** At most so many, and not much fewer: then the figures must be updated. */
const about = (most: number) => expect.toSatisfy((bytes: number) => bytes <= most && bytes > most * 0.8);

/** Ids as the service gives them, of a database with some hundred cities: that of the city stands in every index. */
const [MUNICIPALITY, STREET_ID, FACILITY_ID] = [300, 2 ** 47 - 2, 2 ** 47 - 3];
const REAL_IDS = {
  ...CITY,
  municipalities: [{ ...ROME, id: MUNICIPALITY }],
  areas: [
    { ...STREET, id: STREET_ID, municipalityId: MUNICIPALITY },
    { ...FACILITY, id: FACILITY_ID, municipalityId: MUNICIPALITY },
  ],
  sources: [{ ...APP_SOURCE, municipalityId: MUNICIPALITY }],
  subscriptionTypes: [{ ...RESIDENTS, municipalityId: MUNICIPALITY }],
};

const sizeOf = async () => (await env.DB.prepare('select 1').run()).meta.size_after;

/** What each of {@link MANY} costs. Rows written include index entries. */
async function writtenBy(act: (db: D1Database) => Promise<unknown>): Promise<Figures> {
  let [rowsWritten, rowsRead] = [0, 0];
  const db = databaseDouble({
    around: async (run) => {
      const result = await run();
      for (const { meta } of [result].flat() as D1Result[]) {
        rowsWritten += meta.rows_written;
        rowsRead += meta.rows_read;
      }
      return result;
    },
  });
  const before = await sizeOf();
  await act(db);
  return {
    bytes: ((await sizeOf()) - before) / MANY,
    rowsWritten: rowsWritten / MANY,
    rowsRead: rowsRead / MANY,
  };
}

const at = (number: number): string => new Date(NOW + number * 1_000).toISOString();
/** Of 16 characters. */
const keyOf = (number: number): string => `s${String((number * 7919) % 1_000_003).padStart(15, '0')}`;

const sessionLine = (number: number, changed: object) => ({
  session_id: keyOf(number),
  plate: `AB${String(number).padStart(5, '0')}`,
  area_code: 'P1',
  starts_at: at(number),
  ends_at: at(number + 3_600),
  ...changed,
});

beforeEach(async () => {
  await freshDatabase(REAL_IDS);
});

describe('A plate check', () => {
  it('has a row in the log that costs what the figures say', async () => {
    const written = await writtenBy(async (db) => {
      for (let first = 0; first < MANY; first += 500) {
        const calls = Array.from({ length: 500 }, (_, index) => ({
          plates: [],
          row: {
            requestId: newRequestId(instant(NOW + (first + index) * 37)),
            at: instant(NOW + (first + index) * 37),
            operation: 'plate_check' as const,
            credentialId: crypto.randomUUID().replaceAll('-', '').slice(8),
            tenant: 'acme',
            municipalityCode: 'H501',
            address: '203.0.113.7',
            httpStatus: 200,
            outcome: 'VALID_PARKING_SESSION',
            isAdmitted: true,
            durationMs: 12,
            action: null,
            target: null,
            officerReference: null,
            request: null,
            response: null,
            plateDigest: (crypto.randomUUID() + crypto.randomUUID()).replaceAll('-', ''),
          },
        }));
        await insertCalls(db, calls);
      }
    });
    expect(written).toMatchObject({ bytes: about(CHECK.bytes), rowsWritten: CHECK.rowsWritten });
  });

  it('reads what the figures say, of a plate with a session', async () => {
    await importOf(env.DB, CHANGES.session);
    const { headers } = await issueCredential({}, [MUNICIPALITY]);
    const { rowsRead } = await writtenBy(async (db) => {
      const call = { method: 'POST', headers, body: { plate: 'AB00001' } };
      const { body } = await new Service({ DB: db }).settle('/api/v2/parking/check-plate', call);
      expect(body.success).toBe(true);
    });
    // Its row of the log may be written together with that of the import.
    expect(rowsRead * MANY).toBeLessThanOrEqual(CHECK.rowsRead);
  });
});

/** Imports lines, all of which change something. */
async function importOf(db: D1Database, line: (number: number) => object): Promise<void> {
  const { headers } = await issueCredential({}, [MUNICIPALITY]);
  const service = new Service({ DB: db });
  const lines = Array.from({ length: MANY }, (_, number) => JSON.stringify(line(number)));
  const { body } = await service.settle('/api/v2/imports/sessions?source_code=app1', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect(body).toMatchObject({ received: MANY, rejected: 0, unchanged: 0 });
}

const CHANGES = {
  session: (number: number) => sessionLine(number, {}),
  extension: (number: number) => sessionLine(number, { ends_at: at(number + 7_200) }),
  cancellation: (number: number) => sessionLine(number, { cancelled_at: at(number) }),
} as const;

describe('A session', () => {
  it.each(['session', 'extension', 'cancellation'] as const)(
    '%s: it costs what the figures say',
    async (change) => {
      const figures = SESSIONS[change];
      if (change !== 'session') await importOf(env.DB, CHANGES.session);
      const written = await writtenBy((db) => importOf(db, CHANGES[change]));
      // And a few rows for the import itself.
      expect({
        ...written,
        rowsWritten: Math.floor(written.rowsWritten),
        rowsRead: Math.floor(written.rowsRead),
      }).toEqual({ ...figures, bytes: about(figures.bytes) });
    },
  );
});

describe('The reckoning', () => {
  const city = {
    ...{ sessionsADay: 50_000, extensionsADay: 0, cancellationsADay: 0 },
    ...{ checksADay: 100_000, sessionDays: 400, callDays: 90 },
  };
  const sessions = 50_000 * SESSIONS.session.bytes;
  const checks = 100_000 * CHECK.bytes;

  it('stores each kind as long as it is kept, and says when a database is full, if ever', () => {
    const { bytesADay, amounts } = reckon(city);
    expect([bytesADay, amounts.bytes]).toEqual([sessions + checks, 400 * sessions + 90 * checks]);
    const { fullOnDay } = reckon({ ...city, sessionsADay: 150_000 });
    expect(fullOnDay).toBe(Math.floor((10e9 - 90 * checks) / (3 * sessions)) + 1);
    expect(reckon({ ...city, sessionDays: 100 }).fullOnDay).toBe(null);
  });

  it('says which retention of sessions fits', () => {
    const great = { ...city, sessionsADay: 150_000, checksADay: 300_000, callDays: 30 };
    const { sessionDaysThatFit } = reckon(great);
    expect(reckon({ ...great, sessionDays: sessionDaysThatFit }).amounts.bytes).toBeLessThanOrEqual(7e9);
    expect(reckon({ ...great, sessionDays: sessionDaysThatFit + 1 }).amounts.bytes).toBeGreaterThan(7e9);
  });

  it('goes by what changes', () => {
    const { bytesADay, amounts } = reckon({ ...city, extensionsADay: 1_000 });
    const { session, extension } = SESSIONS;
    expect(bytesADay).toBe(50_000 * session.bytes + 1_000 * extension.bytes + checks);
    expect(amounts.rowsWritten).toBe(
      2 * 30 * (50_000 * session.rowsWritten + 1_000 * extension.rowsWritten + 100_000 * CHECK.rowsWritten),
    );
  });

  it('comes to what docs/performance.md says of three cities', () => {
    const [, table = ''] = performancePage.split('### What a month costs');
    const rows = [...table.matchAll(/^\| (a .*?) \| ([\d,]+) \| ([\d,]+) \| (.*) \|$/gm)];
    expect(rows.length).toBe(3);
    const millions = (count: number) => `${(count / 1e6).toFixed(1)} million`;
    for (const [, name, sessions = '', checks = '', said] of rows) {
      const [sessionsADay = 0, checksADay = 0] = [sessions, checks].map((text) =>
        Number(text.replaceAll(',', '')),
      );
      const { amounts, dollars } = reckon({ ...city, sessionsADay, checksADay });
      const reckoned = [
        `${(amounts.bytes / 1e9).toFixed(1)} GB`,
        millions(amounts.rowsWritten),
        millions(amounts.rowsRead),
        millions(amounts.calls),
        Math.round(amounts.gigabyteSeconds).toLocaleString('en'),
        `$${dollars.toFixed(2)}`,
      ];
      expect([name, said]).toEqual([name, reckoned.join(' | ')]);
    }
  });
});
