import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { Random } from '../domain/random.ts';
import {
  APP1_SESSIONS,
  aSessionLine,
  aSubscriptionLine,
  file,
  SUBSCRIPTIONS,
  send,
  storedSessions,
  storedSubscriptions,
} from '../imports/support.ts';
import { City } from '../support/city.ts';
import { issueCredential } from '../support/credential.ts';
import { CUTS, cutOffAt } from '../support/doubles.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { someOf } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { type Answer, Service } from '../support/service.ts';
import { unsteadyBindings } from '../support/unsteady.ts';

const SEEDS = someOf(
  Array.from({ length: 15 }, (_, index) => index + 1),
  3,
);
/** Two keys fill a batch, so that a few lines make a file of several. */
const PADDING = ' '.repeat(120_000);

/** What is sent and stored of one key. */
interface Line {
  readonly key: string;
  readonly plate: string;
  readonly revision: number | null;
}

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly write: (line: Line) => Record<string, unknown>;
  readonly stored: () => Promise<Line[]>;
}

/** An instant that tells plates of one letter apart. */
const instantOf = (plate: string): number => Date.UTC(2026, 0, 1) + plate.charCodeAt(0) * 60_000;
const ENDS = '2026-12-01T00:00:00Z';

const KINDS: readonly Kind[] = [
  {
    name: 'sessions',
    path: APP1_SESSIONS,
    write: ({ key, plate, revision }) => aSessionLine({ session_id: key, plate, revision }),
    stored: async () =>
      (await storedSessions()).map(({ session_id, plate, revision }) => ({
        ...{ key: String(session_id), plate: String(plate), revision: revision as number | null },
      })),
  },
  {
    name: 'subscriptions',
    path: SUBSCRIPTIONS,
    // The plate is in every part of the title, so that half of one would show.
    write: ({ key, plate, revision }) => {
      const starts_at = new Date(instantOf(plate)).toISOString();
      const parts = { plates: [{ plate }, { plate: `${plate}B` }], periods: [{ starts_at, ends_at: ENDS }] };
      return aSubscriptionLine({ subscription_number: key, revision, authorized_from: starts_at, ...parts });
    },
    stored: async () =>
      (await storedSubscriptions()).map((row) => {
        const plate = String((row.plates as [number, string][])[0]?.[1]);
        expect(row).toMatchObject({
          authorized_from: instantOf(plate),
          periods: [[instantOf(plate), Date.parse(ENDS)]],
          plates: [
            [1, plate, null, null],
            [1, `${plate}B`, null, null],
          ],
        });
        return { key: String(row.subscription_number), plate, revision: row.revision as number | null };
      }),
  },
];

const randomLines = (random: Random, keys: number, most: number): Line[] =>
  random.list(1 + random.below(most), () => ({
    key: `k-${random.below(keys)}`,
    plate: random.pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']),
    revision: random.oneIn(3) ? null : random.below(6),
  }));

/** Every order of some items. */
function orders<Item>(items: readonly Item[]): Item[][] {
  return items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

/** What lines leave of their key, one after the other. */
const after = (lines: readonly Line[]): Line | undefined =>
  lines.reduce<Line | undefined>((stored, line) => {
    const known = stored?.revision ?? null;
    const isOlder = known !== null && line.revision !== null && line.revision < known;
    return isOlder ? stored : { ...line, revision: line.revision ?? known };
  }, undefined);

/** By a credential of its own: one has one import at a time, and one that was cut off may still count. */
async function importFile({ path, write }: Kind, lines: readonly Line[], service: Service): Promise<Answer> {
  const padded = lines.map((line) => JSON.stringify(write(line)).replace(/\}$/, `${PADDING}}`));
  return send(service, path, file(padded), (await issueCredential()).headers);
}

/** Four keys stored before, of which the file changes three, leaves one, and adds two: several batches. */
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

const count = (rows: string) => env.DB.prepare(`select count(*) as n from ${rows}`).first<number>('n');
const past = () =>
  count('(select id from past_parking_sessions union all select id from past_subscriptions)');
const successes = () => count(`imports where outcome = 'succeeded'`);

describe.each(KINDS)('An import of $name that is cut off at any round trip', (kind) => {
  it.each(CUTS)('is a failure, and is completed by the same file (%s)', async (cut) => {
    const begin = async () => {
      await freshDatabase(CITY);
      expect((await importFile(kind, BEFORE, new Service())).status).toBe(200);
    };
    await begin();
    await importFile(kind, FILE, new Service());
    const [clean, versions] = [await kind.stored(), await past()];
    for (let at = 1; ; at += 1) {
      await begin();
      const before = await successes();
      const { DB, trips } = cutOffAt(at, cut);
      const { status } = await importFile(kind, FILE, new Service({ DB }));
      if (trips() < at) {
        // For whom it is, four batches, and of sessions that they came.
        expect([status, trips()]).toEqual([200, kind.path === APP1_SESSIONS ? 6 : 5]);
        return;
      }
      expect(status).toBe(500);
      // The last that sessions' database hears is that all of them are there.
      const isThere = kind.path === APP1_SESSIONS && at === 6 && cut === 'answer lost';
      expect(await successes()).toBe(Number(before) + Number(isThere));
      expect((await importFile(kind, FILE, new Service())).status).toBe(200);
      expect(await kind.stored()).toEqual(clean);
      // No batch was stored twice.
      expect(await past()).toBe(versions);
    }
  });
});

describe.each(KINDS)('Imports of $name at once', (kind) => {
  const city = new City(CITY, { anew: true });
  const importOf = async (lines: readonly Line[], service = city.service): Promise<void> =>
    expect((await importFile(kind, lines, service)).status).toBe(200);

  it.each(SEEDS)('leave of each key what one after the other leaves (seed %i)', async (number) => {
    const random = new Random(number);
    const before = randomLines(random, 4, 3);
    const first = randomLines(random, 3, 8);
    const second = random.oneIn(4) ? first : randomLines(random, 3, 8);
    const files = random.oneIn(3) ? [first, second, randomLines(random, 3, 8)] : [first, second];
    await importOf(before);
    await Promise.all(files.map((lines) => importOf(lines, new Service(unsteadyBindings(random)))));

    const keys = new Set([before, ...files].flat().map(({ key }) => key));
    const left = new Map((await kind.stored()).map((line) => [line.key, line]));
    expect(new Set(left.keys())).toEqual(keys);
    for (const key of keys) {
      const possible = orders(files).map((order) =>
        after([before, ...order].flat().filter((line) => line.key === key)),
      );
      expect(possible).toContainEqual(left.get(key));
    }
  });
});
