import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Random } from '../domain/random.ts';
import { APP1_SESSIONS as SESSIONS, send } from '../imports/support.ts';
import { watchedDb } from '../imports/watched-db.ts';
import { issueCredential } from '../support/credential.ts';
import { noSnapshots } from '../support/doubles.ts';
import { shortOrThorough, someOf } from '../support/run-form.ts';
import { CITY, seed } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { Turns } from '../support/turns.ts';
import {
  applyLine,
  everythingStored,
  forgetImports,
  KINDS,
  type Kind,
  type Line,
  paddedFile,
  randomLines,
} from './imports-support.ts';

let headers: Record<string, string>;

beforeAll(async () => {
  await seed(CITY);
  ({ headers } = await issueCredential());
});
beforeEach(forgetImports);

/** By a credential of its own: one has one import at a time. */
const importFile = async (service: Service, kind: Kind, lines: readonly Line[]): Promise<Answer> =>
  send(service, kind.path, paddedFile(kind, lines), (await issueCredential()).headers);

/** Whatever an import asks of the database; the call log's rows come when they like. */
const isOfImport = (statements: readonly string[]): boolean =>
  !statements.some((sql) => /"calls"|call_log/.test(sql));

const T0 = Date.UTC(2026, 2, 10, 11);
const MINUTE = 60_000;
const at = (minutes: number): Date => new Date(T0 + minutes * MINUTE);

/** Four keys stored before, of which the file changes three, leaves one, and adds two: three batches. */
const BEFORE: readonly Line[] = ['a', 'b', 'c', 'd'].map((key) => ({ key, plate: 'Z', revision: 1 }));
const FILE: readonly Line[] = [
  { key: 'a', plate: 'A', revision: 2 },
  { key: 'e', plate: 'E', revision: 1 },
  { key: 'b', plate: 'B', revision: null },
  { key: 'd', plate: 'Z', revision: 1 },
  { key: 'f', plate: 'F', revision: 1 },
  { key: 'c', plate: 'C', revision: 3 },
  { key: 'a', plate: 'G', revision: 4 },
];

interface Death {
  /** The round trip, from 1, at which the isolate dies. */
  readonly trip: number;
  /** Whether the database still heard it. */
  readonly heard: boolean;
}

/** An isolate that dies at a round trip: nothing that it asks from then on arrives. */
function mortal(death: Death | null) {
  const tally = { trips: 0 };
  const dead = () =>
    death !== null && (tally.trips > death.trip || (tally.trips === death.trip && !death.heard));
  const service = new Service({
    DB: watchedDb({
      before: (statements) => {
        if (!isOfImport(statements)) return;
        tally.trips += 1;
        if (dead()) throw new Error('the isolate is gone');
      },
      after: (sql) => {
        if (isOfImport([sql]) && tally.trips === death?.trip) throw new Error('the isolate is gone');
      },
    }),
  });
  return { service, tally };
}

/** What a report says of the source now. */
async function freshnessOf(): Promise<unknown> {
  const report = new Service({ SNAPSHOTS: noSnapshots() });
  const { body } = await report.post('/api/v2/parking/reports/active-by-area', {}, headers);
  const [{ status, last_successful_import_at: last }] = body.source_freshness as [
    { status: string; last_successful_import_at: string | null },
  ];
  return [status, last === null ? null : Date.parse(last)];
}

describe.each(KINDS)('An import of $name whose isolate dies', (kind) => {
  /** Everything that is stored once the file is in, sent at last by this service. */
  async function storedAfter(service: Service, before = async () => {}): Promise<unknown> {
    await forgetImports();
    vi.setSystemTime(at(0));
    await importFile(new Service(), kind, BEFORE);
    vi.setSystemTime(at(20));
    await before();
    vi.setSystemTime(at(40));
    expect((await importFile(service, kind, FILE)).status).toBe(200);
    return everythingStored();
  }

  // Whom it is for and what its codes mean; four batches; of sessions: that they came.
  const trips = kind.path === SESSIONS ? 6 : 5;
  let clean: unknown;

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { service, tally } = mortal(null);
    clean = await storedAfter(service);
    expect(tally.trips).toBe(trips);
    return () => vi.useRealTimers();
  });

  /** In the short run one side of each, by turns; the last trip's answer is what decides. */
  const deaths = Array.from({ length: trips }, (_, index) => index + 1).flatMap((trip) =>
    shortOrThorough(
      [[trip, (trips - trip) % 2 === 0 ? 'after' : 'before'] as const],
      [[trip, 'before'] as const, [trip, 'after'] as const],
    ),
  );

  it.each(deaths)(
    'at round trip %i, %s it, has told the truth, and the file again completes it',
    async (trip, side) => {
      const twice = await storedAfter(new Service(), async () => {
        const { service } = mortal({ trip, heard: side === 'after' });
        expect((await importFile(service, kind, FILE)).status).toBe(500);
        const before = kind.path === SESSIONS ? ['stale', T0] : ['never', null];
        // The last that sessions' database hears is that all of them are there.
        const isThere = kind.path === SESSIONS && trip === trips && side === 'after';
        expect(await freshnessOf()).toEqual(isThere ? ['fresh', at(20).getTime()] : before);
      });
      expect(twice).toEqual(clean);
    },
  );
});

/** Every order of some items. */
function orders<Item>(items: readonly Item[]): Item[][] {
  return items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/** What files leave of a key, one after the other. */
const after = (key: string, files: readonly (readonly Line[])[]): Line | undefined =>
  files
    .flat()
    .filter((line) => line.key === key)
    .reduce<Line | undefined>((stored, line) => applyLine(stored, line), undefined);

const SEEDS = someOf(
  Array.from({ length: 15 }, (_, index) => index + 1),
  3,
);

describe.each(KINDS)('Imports of $name at once', (kind) => {
  it.each(SEEDS)('leave of each key what one after the other leaves (seed %i)', async (number) => {
    const random = new Random(number);
    const before = randomLines(random, 4, 3);
    const first = randomLines(random, 3, 8);
    const second = random.oneIn(4) ? first : randomLines(random, 3, 8);
    const files = random.oneIn(3) ? [first, second, randomLines(random, 3, 8)] : [first, second];
    await importFile(new Service(), kind, before);

    const turns = new Turns(random);
    const DB = watchedDb({
      before: async (statements) => {
        if (isOfImport(statements)) await turns.next();
      },
    });
    const answers = await turns.all(files.map((lines) => () => importFile(new Service({ DB }), kind, lines)));
    expect(answers.map(({ status }) => status)).toEqual(files.map(() => 200));

    const stored = new Map((await kind.stored()).map((line) => [line.key, line]));
    const keys = new Set([before, ...files].flat().map(({ key }) => key));
    expect(new Set(stored.keys())).toEqual(keys);
    for (const key of keys) {
      const possible = orders(files).map((order) => after(key, [before, ...order]));
      expect(possible).toContainEqual(stored.get(key));
      const revisions = [before, ...files]
        .flat()
        .filter((line) => line.key === key && line.revision !== null);
      if (revisions.length > 0) {
        expect(stored.get(key)?.revision).toBe(
          Math.max(...revisions.map(({ revision }) => Number(revision))),
        );
      }
    }
  });
});
