import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import securityPage from '../../docs/security.md?raw';
import { issueCredential, type TestCredential } from '../support/credential.ts';
import { countedBindings, databaseDouble } from '../support/doubles.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { APP_SOURCE, CITY, FACILITY, ROME, seed, TENANT } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { type Kept, MAX_SLOWER, REFUSED } from './kept-line.ts';
import { CHECK, KEPT_LINES, KIB, LONG_CODES } from './kept-lines.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** For `npm run measure:kept`: what one of a line costs; its time in those of a check. */
    kept?: Kept & { readonly input: string; readonly checks: number };
  }
}

const HOUR_MS = 3_600_000;
/** The checks' own rows in the call log, which are written a second after their answers. */
const ROWS_OF_CHECKS = 256 * KIB;

/** What a gate's driver accepts. */
const P99_MS = 250;
const CHECKS = shortOrThorough(6, 12);
/** Many times what any line here takes: one that starves next to them fails, instead of never ending. */
const MAX_CHECKS = 200;
/** A machine that was busy elsewhere is measured again; a line without a bound fails each time. */
const TRIES = 10;

let hostile: TestCredential;
let revoked: TestCredential;
let honest: TestCredential;

beforeAll(async () => {
  const now = Date.now();
  await seed({
    ...CITY,
    tenants: [TENANT, { id: 2, code: 'beta', name: 'Beta', active: true }],
    municipalities: [ROME, { ...ROME, id: 2, tenantId: 2, code: 'F205', name: 'Milano' }],
    areas: [
      ...CITY.areas,
      { ...FACILITY, id: 3, municipalityId: 2 },
      ...LONG_CODES.map((code, index) => ({ ...FACILITY, id: 10 + index, code })),
    ],
    sources: [...CITY.sources, { ...APP_SOURCE, id: 2, municipalityId: 2 }],
    parkingSessions: [
      {
        ...{ municipalityId: 2, sourceCode: 'app1', sessionId: 'honest', areaId: 3, plate: 'AB123CD' },
        ...{ startsAt: now - HOUR_MS, endsAt: now + HOUR_MS },
      },
    ],
  });
  revoked = await issueCredential({ revokedAt: 1, rateLimit: 2 * REFUSED });
  hostile = await issueCredential({ id: 'f'.repeat(24) });
  // The first in the index: how many rows a check reads does not depend on which id comes after it.
  honest = await issueCredential({ id: '0'.repeat(24), tenantId: 2 }, [2]);
});

/** Bytes that the database takes: whole pages. */
const storedBytes = async (): Promise<number> => (await env.DB.prepare('select 1').all()).meta.size_after;

/** A check of the other tenant: its answer is right. @returns its milliseconds and the rows that it read */
async function checkHonestly(): Promise<{ readonly ms: number; readonly rows: number }> {
  const { cost, bindings } = countedBindings();
  const startedAt = performance.now();
  // Its row in the call log is written after what is measured.
  const answer = await new Service(bindings, 1_000).post(
    CHECK,
    { plate: 'AB123CD', area_code: 'P1' },
    honest.headers,
  );
  expect([answer.status, answer.body.has_valid_entitlement]).toEqual([200, true]);
  return { ms: performance.now() - startedAt, rows: cost.rowsRead };
}

async function checksDuring(
  work: Promise<unknown>,
): Promise<{ readonly p99: number; readonly rows: number[] }> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  // A failure is thrown below, not while nobody listens.
  done.catch(() => {});
  const checks = [];
  while (checks.length < CHECKS || (!isDone && checks.length < MAX_CHECKS)) {
    checks.push(await checkHonestly());
    // The runtime of the tests fires no timer before all it can do without one is done, which goes on with each check.
    await scheduler.wait(0);
  }
  expect(isDone || checks.length < MAX_CHECKS, `done after ${MAX_CHECKS} checks`).toBe(true);
  await done;
  const sorted = checks.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    rows: [...new Set(checks.map(({ rows }) => rows))],
  };
}

/** The database takes whole pages: of a few small rows one more or less. */
const PAGES_KIB = 32;

/** Neither much more nor much less: then the table must be updated. `npm run measure:kept` prints its figures. */
const roughly = (kib: number, count: number) =>
  expect.toSatisfy((found: number) => Math.abs(found - kib) <= Math.max(0.2 * kib, PAGES_KIB / count));

/** What is found in an index ends with an entry of somebody else, or with none. */
const about = (rows: number) =>
  expect.toSatisfy((found: number) => Math.abs(found - rows) <= Math.max(1.5, rows * 0.03));

/** What one costs of so many that are sent. */
async function measure(
  count: number,
  send: (service: Service) => Promise<void>,
): Promise<Kept & { ms: number }> {
  let [read, written] = [0, 0];
  const DB = databaseDouble({
    around: async (run) => {
      const result = await run();
      for (const { meta } of [result].flat() as D1Result[]) {
        read += meta?.rows_read ?? 0;
        written += meta?.rows_written ?? 0;
      }
      return result;
    },
  });
  const before = await storedBytes();
  const startedAt = performance.now();
  await send(new Service({ DB }));
  const ms = performance.now() - startedAt;
  const bytes = (await storedBytes()) - before;
  return { kib: bytes / KIB / count, read: read / count, written: written / count, ms: ms / count };
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** As the table has them. */
const figure = (number: number): string => number.toLocaleString('en');

describe('One of a line that is kept costs what the table says', () => {
  it.for(KEPT_LINES)('$input', async ({ input, kept, count, atBound }, { task }) => {
    const { ms, ...found } = await measure(count, (service) =>
      atBound({ service, hostile, revoked }, `${input.length}-0`),
    );
    const checks: number[] = [];
    for (let index = 0; index < CHECKS; index += 1) checks.push((await checkHonestly()).ms);
    task.meta.kept = { input, ...found, checks: ms / medianOf(checks) };
    expect(found).toEqual({
      kib: roughly(kept.kib, count),
      read: about(kept.read),
      written: about(kept.written),
    });
  });
});

describe.each(KEPT_LINES)('$input', ({ input, kept, count, mostSlower = MAX_SLOWER, atBound, pastBound }) => {
  it('keeps no more next to others, and nobody else’s check is slower or reads a row more for it', async () => {
    const attempts: string[] = [];
    const service = new Service();
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const alone = await checksDuring(Promise.resolve());
      const before = await storedBytes();
      const beside = await checksDuring(atBound({ service, hostile, revoked }, `${input.length}-${attempt}`));
      expect((await storedBytes()) - before).toBeLessThanOrEqual(kept.kib * KIB * count + ROWS_OF_CHECKS);
      expect(beside.rows).toEqual(alone.rows);
      expect((await checkHonestly()).rows).toBe(alone.rows[0]);
      const most = Math.max(P99_MS, mostSlower * alone.p99);
      if (beside.p99 <= most) return;
      attempts.push(`${Math.round(beside.p99)} ms, of at most ${Math.round(most)}`);
    }
    expect.fail(attempts.join('; '));
  }, 180_000);

  it('is refused past its bound, and nothing of that is kept but its row', async () => {
    const before = await storedBytes();
    await pastBound({ service: new Service(), hostile, revoked });
    expect((await storedBytes()) - before).toBeLessThanOrEqual(ROWS_OF_CHECKS);
  });

  it('stands in the table with the same figures', () => {
    const row = securityPage.split('\n').find((line) => line.startsWith(`| ${input} |`));
    const [, bytes, rows] = row?.split(' | ') ?? [];
    expect(bytes).toBe(kept.kib === 0 ? 'nothing' : `${figure(kept.kib)} KiB`);
    expect(rows).toBe(`${figure(kept.read)}; ${figure(kept.written)}`);
  });
});

it('The table has no input that is not sent here', () => {
  const [, table = ''] =
    /\n\| input \| kept of one [^\n]*\n[^\n]*\n((?:\|[^\n]*\n)+)/.exec(securityPage) ?? [];
  const inputs = table
    .trim()
    .split('\n')
    .map((line) => line.split(' | ')[0]?.slice(2));
  expect(inputs).toEqual(KEPT_LINES.map(({ input }) => input));
});
