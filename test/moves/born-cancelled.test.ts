import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../src/domain/instant.ts';
import { EXPORT } from '../admin/plates-support.ts';
import { around, importLines, moveWhole } from '../databases/nation.ts';
import { EVIDENCE } from '../evidence/support.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { someOf } from '../support/run-form.ts';
import { ADMIN, type Service } from '../support/service.ts';
import { backUpInSteps, iso, keepMoment, restoreWhole, serviceWithout } from './backups.ts';
import { beginMoving, type Mover, session, settle } from './movers.ts';
import { serviceAround } from './round-trips.ts';

const CODE = 'H501';
let service: Service;
let mover: Mover;

beforeEach(async () => {
  await freshDatabase();
  service = await beginMoving();
  mover = await settle(service, CODE, 'DB');
});

const NOW = Date.now();
/** When a line of a session cancels it: not at all, or at an instant that is still to come. */
const VERSIONS = [null, NOW + 30 * MINUTE_MS, NOW + 40 * MINUTE_MS] as const;
type Version = (typeof VERSIONS)[number];

/** Orders in which so many lines of a session can arrive, with repetitions. */
const ordersOf = (length: number): readonly Version[][] =>
  length === 0
    ? [[]]
    : ordersOf(length - 1).flatMap((before) => VERSIONS.map((version) => [...before, version]));

const ORDERS = [...ordersOf(1), ...ordersOf(2), ...someOf(ordersOf(3), 7)];

/** A session of a vehicle of its own, for each order. Every third has revisions, which stay the same; some are in a facility. */
const lineOf = (index: number, version: Version) =>
  session(`s-${index}`, plateOf(index), {
    ...around(NOW),
    area_code: index % 5 === 4 ? 'P1' : 'S1',
    ...(version !== null && { cancelled_at: iso(version) }),
    ...(index % 3 === 0 && { revision: 7 }),
  });
const plateOf = (index: number): string => `AA${String(index).padStart(3, '0')}AA`;

/** The first file has the first line of each session, and so on. */
const FILES = [0, 1, 2].map((turn) =>
  ORDERS.flatMap((versions, index) => {
    const version = versions[turn];
    return version === undefined ? [] : [lineOf(index, version)];
  }),
);
type Lines = (typeof FILES)[number];

const storedBy = (by: Service, lines: Lines) => importLines(by, mover.headers, 'sessions', CODE, lines);

const storesLines = (sql: string): boolean => /insert into "?parking_sessions/.test(sql);

/** Isolates that store a file at once: each has read before any of them stores. Each loses so many of its answers, and retries. */
async function atOnce(files: readonly Lines[], lostAnswers: number): Promise<void> {
  let reading = files.length;
  const allHaveRead = Promise.withResolvers<void>();
  await Promise.all(
    files.map((lines) => {
      let lost = 0;
      const isolate = serviceAround(async (run, { sql }) => {
        if (!storesLines(sql)) return run();
        reading -= 1;
        if (reading === 0) allHaveRead.resolve();
        await allHaveRead.promise;
        const answer = await run();
        if (lost === lostAnswers) return answer;
        lost += 1;
        throw new Error('D1_ERROR: Network connection lost.');
      });
      return storedBy(isolate, lines);
    }),
  );
}

const WAYS: readonly (readonly [string, (lines: Lines) => Promise<unknown>])[] = [
  ['once', (lines) => storedBy(service, lines)],
  [
    'three times, each in another order',
    async (lines) => {
      for (const again of [lines, lines.toReversed(), lines]) await storedBy(service, again);
    },
  ],
  ['by an import that stores it again since the answer was lost', (lines) => atOnce([lines], 1)],
  ['by an import that stores it three times', (lines) => atOnce([lines], 2)],
  ['by two isolates at once', (lines) => atOnce([lines, lines.toReversed()], 0)],
  ['by three isolates at once', (lines) => atOnce([lines, lines.toReversed(), lines], 0)],
  ['by two isolates at once that both lose an answer', (lines) => atOnce([lines, lines.toReversed()], 1)],
];

interface Evidence {
  readonly as_known_then: { readonly has_valid_parking: boolean };
  readonly as_known_now: { readonly has_valid_parking: boolean };
  readonly history_count: number;
  readonly history: readonly { readonly record: Cancelled }[];
}
interface Cancelled {
  readonly cancelled_at: string | null;
}

const versionsOf = (records: readonly Cancelled[]): Version[] =>
  records.map(({ cancelled_at }) => (cancelled_at === null ? null : Date.parse(cancelled_at)));

/** What evidence tells of a vehicle's session at an instant, and an export today. */
async function toldOf(asked: Service, index: number, at: number) {
  const plate = plateOf(index);
  const { body } = await asked.post(EVIDENCE, { plate, at: iso(at) }, mover.headers);
  const { as_known_then, as_known_now, history_count, history } = body as unknown as Evidence;
  return {
    isValid: [as_known_then.has_valid_parking, as_known_now.has_valid_parking],
    count: history_count,
    versions: versionsOf(history.map(({ record }) => record)),
    exported: await exportOf(asked, plate),
  };
}

/** Its versions: the one that stands, and those that ever stood. */
async function exportOf(asked: Service, plate: string) {
  const stands: Cancelled[] = [];
  const stood: Cancelled[] = [];
  for (let after: unknown = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    const { body } = await asked.post(EXPORT, { tenant: 'acme', plate, after }, ADMIN);
    const page = body as unknown as { sessions: Cancelled[] } & Pick<Evidence, 'history'>;
    stands.push(...page.sessions);
    stood.push(...page.history.map(({ record }) => record));
    after = body.next;
  }
  return { stands: versionsOf(stands), stood: versionsOf(stood).sort() };
}

async function momentAfter(): Promise<number> {
  const moments: number[] = [];
  await keepMoment(moments);
  return moments[0] ?? expect.fail('no moment');
}

/** Expects it where the city is, where it moves to, and where its backup is restored. */
async function everywhere(expectKnown: (asked: Service, where: string) => Promise<void>): Promise<void> {
  await expectKnown(service, 'in its city');
  await moveWhole(service, CODE, 'DB_2');
  await expectKnown(service, 'after a move');
  const lost = serviceWithout('DB_2');
  await restoreWhole(lost, CODE, await backUpInSteps(service, CODE), 'DB_3');
  await expectKnown(lost, 'after a restore');
}

describe('Of a session that may be cancelled when it first arrives', () => {
  it.each(WAYS)(
    'evidence, an export, a move and a restore have every version, if each file is stored %s',
    async (_, store) => {
      for (const lines of FILES) await store(lines);
      const at = await momentAfter();
      await everywhere(async (asked, where) => {
        const told = await Promise.all(ORDERS.map((_, index) => toldOf(asked, index, at)));
        for (const [index, versions] of ORDERS.entries()) {
          const changes = versions.filter((version, turn) => turn === 0 || version !== versions[turn - 1]);
          expect(told[index], `${versions} ${where}`).toEqual({
            isValid: [true, true],
            count: changes.length,
            versions: changes,
            exported: { stands: changes.slice(-1), stood: changes.toSorted() },
          });
        }
      });
    },
  );

  it('they have both versions, the standing one last, if two isolates store another one each', async () => {
    const isolates = VERSIONS.map((_, offset) =>
      VERSIONS.map((_, index) => lineOf(index, VERSIONS[(index + offset) % VERSIONS.length] ?? null)),
    );
    await atOnce(isolates.slice(0, 2), 0);
    const at = await momentAfter();
    const inCity = await Promise.all(VERSIONS.map((_, index) => toldOf(service, index, at)));
    for (const [index, { isValid, count, versions, exported }] of inCity.entries()) {
      expect([isValid, count]).toEqual([[true, true], 2]);
      expect(exported).toEqual({ stands: versions.slice(-1), stood: versions.toSorted() });
      const sent = [0, 1].map((offset) => VERSIONS[(index + offset) % VERSIONS.length]);
      expect(new Set(versions)).toEqual(new Set(sent));
    }
    await everywhere(async (asked, where) => {
      expect(await Promise.all(VERSIONS.map((_, index) => toldOf(asked, index, at))), where).toEqual(inCity);
    });
  });
});
