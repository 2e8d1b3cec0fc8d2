import { describe, expect, it } from 'vitest';
import { type ImportKind, runImport } from '../../src/intake/imports/run-import.ts';
import { issueCredential } from '../support/credential.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { CITY } from '../support/seed.ts';
import { Service } from '../support/service.ts';
import { aSessionLine, counts, countsOf, file, SESSIONS, send } from './support.ts';

const KIB = 1024;
const TURN_BYTES = 128 * KIB;
/** Read or stored in one round trip. */
const KEYS_PER_BATCH = 600;
/** Of a file of six batches. */
const LINES = 6 * KEYS_PER_BATCH;
/** Of a gate that checks one plate after the other while six batches are stored. */
const MAX_CHECKS = 60;

/** Lines of this length, with a key that comes again after so many of them. */
const linesOf = (bytes: number, count: number, keys: number): Uint8Array =>
  new TextEncoder().encode(
    Array.from({ length: count }, (_, index) =>
      `{"key":"${index % keys}"`.padEnd(bytes - 1).concat('}\n'),
    ).join(''),
  );

/** What an import does between two turns, and in one batch, at most. */
async function mostAtOnce(bytes: Uint8Array, isGood = true) {
  const most = { lines: 0, read: 0, written: 0 };
  const tally = { messages: 0 };
  let lines = 0;
  const row = (line: object) => ({ key: String(Reflect.get(line, 'key')), revision: null });
  const message = () => {
    tally.messages += 1;
    return { en: 'bad', it: 'cattiva' };
  };
  const kind: ImportKind<ReturnType<typeof row>> = {
    rule: {
      keyOf: ({ key }) => key,
      same: () => false,
      after: (_, line) => line,
      changeOf: () => ({ cost: 1, isEnding: false }),
      keepsPlace: () => false,
    },
    shortestLine: 0,
    findCrowded: async () => new Set(),
    noteRejected: () => {},
    keyOf: (line) => {
      lines += 1;
      most.lines = Math.max(most.lines, lines);
      return row(line).key;
    },
    readLine: (line) => {
      lines += 1;
      most.lines = Math.max(most.lines, lines);
      return isGood ? { row: row(line) } : { rejection: { code: 'INVALID_REQUEST', message } };
    },
    readRows: async (keys) => {
      // A round trip is a turn.
      lines = 0;
      most.read = Math.max(most.read, keys.length);
      return new Map();
    },
    readRoom: async () => 0,
    writeRows: async (rows) => {
      lines = 0;
      most.written = Math.max(most.written, rows.length);
    },
  };
  const report = await runImport(bytes, kind, 'en', {
    nextTurn: async () => {
      lines = 0;
    },
    inTime: (batch) => batch(),
  });
  return { most, tally, report };
}

describe('An import', () => {
  it.each([
    ['with one key per line', 5_000],
    ['of few keys', 3],
    ['of one key', 1],
  ])('%s reads at most 128 KiB per turn, and stores at most 600 keys per batch', async (_, keys) => {
    const { most, report } = await mostAtOnce(linesOf(KIB, 5_000, keys));
    expect(report.received).toBe(5_000);
    // One less where the first line of a batch was read before its round trip.
    expect([TURN_BYTES / KIB - 1, TURN_BYTES / KIB]).toContain(most.lines);
    expect(most.written).toBeLessThanOrEqual(KEYS_PER_BATCH);
    expect(most.read).toBeLessThanOrEqual(KEYS_PER_BATCH);
  });

  it('of short lines stores 600 keys per batch', async () => {
    const { most } = await mostAtOnce(linesOf(32, 5_000, 5_000));
    expect([most.read, most.written]).toEqual([KEYS_PER_BATCH, KEYS_PER_BATCH]);
  });

  it('of more keys than any batches of 600 may be has larger ones: D1 takes a thousand statements of a call', async () => {
    // The shortest line of a session, with a key and a plate of its own, has 85 bytes: 8 MiB of them are 98,689.
    const keys = Math.floor((8 * KIB * KIB) / 85);
    const { most } = await mostAtOnce(linesOf(24, keys, keys));
    const ofABatch = 10;
    const ofTheCall = 50;
    expect(Math.ceil(keys / most.written) * ofABatch + ofTheCall).toBeLessThan(1_000);
  });

  it('makes no text of what is wrong past the thousandth bad line, and asks no database about them', async () => {
    const { most, tally, report } = await mostAtOnce(linesOf(100, 5_000, 5_000), false);
    expect(report).toMatchObject({ received: 5_000, rejected: 5_000 });
    expect(report.errors.map(({ line }) => line)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
    expect(tally.messages).toBe(1_000);
    expect([most.read, most.written]).toEqual([0, 0]);
  });
});

it('An import ends while a gate goes on checking, after a few checks for each of its batches', async () => {
  await freshDatabase(CITY);
  const { headers } = await issueCredential({ rateLimit: 10_000 });
  const service = new Service();
  const lines = Array.from({ length: LINES }, (_, index) => aSessionLine({ session_id: `s-${index}` }));
  let isDone = false;
  const imported = send(service, `${SESSIONS}?source_code=app1`, file(lines), headers).finally(() => {
    isDone = true;
  });
  let checks = 0;
  for (; !isDone && checks < MAX_CHECKS; checks += 1) {
    expect((await service.post('/api/v2/parking/check-plate', { plate: 'AB123CD' }, headers)).status).toBe(
      200,
    );
    // The runtime of the tests fires no timer before all it can do without one is done, which goes on with each check.
    await scheduler.wait(0);
  }
  expect(isDone).toBe(true);
  expect(countsOf(await imported)).toEqual(counts({ received: LINES, created: LINES }));
});
