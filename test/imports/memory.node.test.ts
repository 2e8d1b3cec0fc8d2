import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import '../support/like-workerd.ts';
import { shortOrThorough, someOf } from '../support/run-form.ts';

/** What comes by a path of its own has the types of another runtime: here is as much of them as is used. */
const fromSource = (path: string): Promise<unknown> =>
  import(/* @vite-ignore */ `../../src/intake/imports/${path}`);

interface Kind {
  readonly rule: unknown;
  keyOf(line: object): string | null;
  readLine(line: object): unknown;
}
interface WatchedKind extends Kind {
  readonly shortestLine: number;
  readRows(): Promise<ReadonlyMap<string, unknown>>;
  readRoom(): Promise<object>;
  findCrowded(): Promise<ReadonlySet<string>>;
  noteRejected(): void;
  writeRows(): Promise<void>;
}
interface Pace {
  nextTurn(): Promise<void>;
  inTime<T>(batch: () => Promise<T>): Promise<T>;
}
type RunImport = (
  file: Uint8Array,
  kind: WatchedKind,
  language: 'en',
  pace: Pace,
) => Promise<{ readonly received: number }>;
type ReadLine = (line: object, codes: unknown) => unknown;

const { runImport } = (await fromSource('run-import.ts')) as { runImport: RunImport };
const { keyIn } = (await fromSource('contract.ts')) as {
  keyIn(line: object, property: string): string | null;
};
const { sessionRule, subscriptionRule } = (await fromSource('rules.ts')) as {
  sessionRule: unknown;
  subscriptionRule(codes: unknown): unknown;
};
const { readSessionLine } = (await fromSource('session-line.ts')) as { readSessionLine: ReadLine };
const { readSubscriptionLine } = (await fromSource('subscription-line.ts')) as {
  readSubscriptionLine: ReadLine;
};

/** An isolate has 128 MB: four bodies of 8 MiB may wait in it next to the import that is stored. */
const MAX_MIB = 40;
const MIB = 1024 * 1024;
const FILE_BYTES = 8 * MIB;
/** Looking at what is in use takes longer than many turns. */
const LOOK_EVERY = shortOrThorough(80, 40);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** What is in use once garbage is gone, in MiB. */
function usedMiB(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / MIB;
}

/** As many lines as an import takes. */
function fullFile(lineOf: (index: number) => object): Uint8Array {
  const file = new Uint8Array(FILE_BYTES);
  const encoder = new TextEncoder();
  for (let from = 0, index = 0; ; index += 1) {
    const line = encoder.encode(`${JSON.stringify(lineOf(index))}\n`);
    if (from + line.length > FILE_BYTES) return file.subarray(0, from);
    file.set(line, from);
    from += line.length;
  }
}

/** The most that an import adds to what is in use, its file included. */
async function mostMiBOf(kind: Kind, lineOf: (index: number) => object): Promise<number> {
  const before = usedMiB();
  const file = fullFile(lineOf);
  let most = 0;
  let looks = 0;
  const look = async () => {
    looks += 1;
    if (looks % LOOK_EVERY === 0) most = Math.max(most, usedMiB() - before);
  };
  const watched: WatchedKind = {
    ...kind,
    shortestLine: 0,
    readRows: async () => {
      await look();
      return new Map();
    },
    readRoom: async () => ({ dailyChanges: 1_000_000_000, used: 0 }),
    findCrowded: async () => new Set(),
    noteRejected: () => {},
    writeRows: look,
  };
  const { received } = await runImport(file, watched, 'en', { nextTurn: look, inTime: (batch) => batch() });
  expect(received).toBeGreaterThan(0);
  expect(looks).toBeGreaterThan(LOOK_EVERY);
  return most;
}

const sessions = {
  rule: sessionRule,
  keyOf: (line: object) => keyIn(line, 'session_id'),
  readLine: (line: object) => readSessionLine(line, new Map([['S', 1]])),
};
const subscriptions = {
  rule: subscriptionRule({ types: new Map([[1, 1]]), areas: new Map([[1, 1]]) }),
  keyOf: (line: object) => keyIn(line, 'subscription_number'),
  readLine: (line: object) =>
    readSubscriptionLine(line, { types: new Map([['R', 1]]), areas: new Map([['S', 1]]) }),
};
const aSession = (id: string, plate = 'A') => ({
  session_id: id,
  plate,
  area_code: 'S',
  starts_at: '2026-01-01T00:00Z',
});
const aSubscription = (number: string, changed: object = {}) => ({
  subscription_number: number,
  type: 'R',
  plates: [],
  approval: 'pending',
  areas: 'all',
  periods: [],
  ...changed,
});

describe(`An import of 8 MiB holds less than ${MAX_MIB} MiB at any time, its file included:`, () => {
  it.each(
    someOf(
      [
        ['of the shortest sessions', (index: number) => aSession(index.toString(36))],
        ['of sessions with the longest ids', (index: number) => aSession(`${index}京`.padEnd(200, 'x'))],
        ['of one session again and again', (index: number) => aSession('1', index.toString(36))],
        [
          'of bad sessions',
          (index: number) => ({ ...aSession(`${index}`), plate: 7, area_code: 8, unknown: 9 }),
        ],
      ] as const,
      1,
    ),
  )('%s', async (_, lineOf) => {
    expect(await mostMiBOf(sessions, lineOf)).toBeLessThan(MAX_MIB);
  });

  const plates = Array.from({ length: 500 }, (_, index) => ({ plate: index.toString(36) }));
  it.each(
    someOf(
      [
        ['of the shortest subscriptions', (index: number) => aSubscription(index.toString(36))],
        ['of subscriptions with many plates', (index: number) => aSubscription(`${index}`, { plates })],
        ['of one subscription again and again', (index: number) => aSubscription('1', { revision: index })],
        [
          'of lists without end',
          () => aSubscription('1', { plates: Array.from({ length: 80_000 }, () => ({})) }),
        ],
      ] as const,
      1,
    ),
  )('%s', async (_, lineOf) => {
    expect(await mostMiBOf(subscriptions, lineOf)).toBeLessThan(MAX_MIB);
  });
});
