import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../domain/random.ts';
import { City } from '../support/city.ts';
import { shortOrThorough } from '../support/run-form.ts';
import { CITY } from '../support/seed.ts';
import { brokenHistories } from './past-support.ts';
import {
  aSessionLine,
  aSubscriptionLine,
  countsOf,
  file,
  APP1_SESSIONS as SESSIONS,
  SUBSCRIPTIONS,
  send,
  storedSessions,
  storedSubscriptions,
} from './support.ts';

/** A failure names its seed; its number in the loop's place runs it alone. */
const SEEDS = Array.from({ length: shortOrThorough(4, 25) }, (_, index) => index + 1);

/** Lines of a file of several batches. */
const SEVERAL_BATCHES = shortOrThorough(1_000, 3_500);

const city = new City(CITY);

const TABLES = [
  ...['past_parking_sessions', 'parking_sessions', 'past_subscription_plates', 'subscription_plates'],
  ...['past_subscriptions', 'subscriptions'],
];
beforeEach(async () => {
  await env.DB.batch(TABLES.map((table) => env.DB.prepare(`delete from ${table}`)));
});

/** A line of a file, and what a reader of the rules would store for it; null for a bad one. */
interface Sent<Stored> {
  readonly line: unknown;
  readonly stored: Stored | null;
}

interface Stored {
  readonly [column: string]: unknown;
}

type Model = Map<unknown, Stored>;

/** The revisions of a file's lines. */
type Revisions = readonly (number | null)[];
const REVISIONS: readonly (readonly [name: string, Revisions])[] = [
  ['without revisions', [null]],
  ['with revisions', [0, 1, 2, 3]],
  ['of which some have revisions', [null, 0, 1, 2, 3]],
];

const BAD = ['{', '[]', '{}', JSON.stringify(aSessionLine({ plate: '?' }))];
const text = (ms: number) => new Date(ms).toISOString();

function randomSession(random: Random, keys: number, revisions: Revisions): Sent<Stored> {
  if (random.oneIn(8)) return { line: random.pick(BAD), stored: null };
  const sessionId = `s-${random.below(keys)}`;
  const plate = random.pick(['A1', 'B1']);
  const area = random.pick(['S1', 'P1']);
  const endsAt = random.pick([null, 2_000, 3_000]);
  const cancelledAt = random.pick([null, null, 1_500]);
  const revision = random.pick(revisions);
  return {
    line: aSessionLine({
      ...{ session_id: sessionId, plate, area_code: area, revision, starts_at: text(1_000) },
      ...{ ends_at: endsAt && text(endsAt), cancelled_at: cancelledAt && text(cancelledAt) },
    }),
    stored: {
      source_code: 'app1',
      session_id: sessionId,
      area_id: area === 'S1' ? 1 : 2,
      plate,
      starts_at: 1_000,
      ends_at: endsAt,
      cancelled_at: cancelledAt,
      revision,
    },
  };
}

function randomSubscription(random: Random, keys: number, revisions: Revisions): Sent<Stored> {
  if (random.oneIn(8)) return { line: random.pick(BAD), stored: null };
  const number = `R-${random.below(keys)}`;
  const plates = ['A1', 'B1', 'C1'].filter(() => random.oneIn(2));
  const areas = random.pick(['all', ['S1'], ['S1', 'P1']] as const);
  const starts = [1_000, 2_000, 3_000].filter(() => random.oneIn(2));
  const approval = random.pick(['approved', 'pending']);
  const revision = random.pick(revisions);
  return {
    line: aSubscriptionLine({
      subscription_number: number,
      approval,
      revision,
      plates: plates.map((plate) => ({ plate })),
      areas,
      periods: starts.map((start) => ({ starts_at: text(start), ends_at: text(start + 1_000) })),
    }),
    stored: {
      subscription_number: number,
      type_id: 1,
      approval,
      authorized_from: null,
      authorized_until: null,
      suspended_from: null,
      suspended_until: null,
      revoked_at: null,
      revision,
      plates: plates.map((plate) => [1, plate, null, null]),
      periods: starts.map((start) => [start, start + 1_000]),
      areas: areas === 'all' ? null : areas.toSorted(),
    },
  };
}

/** One line at a time, in order: as simply as the rules can be put. */
function apply(model: Model, key: unknown, line: Stored): void {
  const known = model.get(key)?.revision ?? null;
  if (line.revision !== null && known !== null && Number(line.revision) < Number(known)) return;
  model.set(key, { ...line, revision: line.revision ?? known });
}

const KINDS = [
  {
    name: 'sessions',
    path: SESSIONS,
    key: 'session_id',
    random: randomSession,
    stored: storedSessions,
  },
  {
    name: 'subscriptions',
    path: SUBSCRIPTIONS,
    key: 'subscription_number',
    random: randomSubscription,
    stored: storedSubscriptions,
  },
];

/** Cuts a list at random into pieces, none of them empty. */
function cut<Item>(random: Random, items: readonly Item[], longest: number): Item[][] {
  const pieces: Item[][] = [];
  for (let from = 0; from < items.length; ) {
    const until = from + 1 + random.below(longest);
    pieces.push(items.slice(from, until));
    from = until;
  }
  return pieces;
}

describe.each(KINDS)('Files of $name', ({ path, key, random: randomLine, stored }) => {
  const importFile = (lines: readonly Sent<Stored>[]) =>
    send(city.service, path, file(lines.map(({ line }) => line)), city.headers);
  const inOrder = (model: Model) =>
    [...model.values()].sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1));
  const applyAll = (model: Model, lines: readonly Sent<Stored>[]) => {
    for (const { stored: row } of lines) {
      if (row !== null) apply(model, row[key], row);
    }
  };

  describe.each(REVISIONS)('%s', (_, revisions) => {
    it.each(SEEDS)('cut in any way leave what their lines leave one by one (seed %i)', async (number) => {
      const random = new Random(number);
      const lines = random.list(60, () => randomLine(random, 6, revisions));
      const model: Model = new Map();
      for (const piece of cut(random, lines, 25)) {
        const newKeys = -model.size;
        applyAll(model, piece);
        const made = countsOf(await importFile(piece));
        const rejected = piece.filter(({ stored: row }) => row === null).length;
        expect(made).toMatchObject({ received: piece.length, rejected, created: newKeys + model.size });
        expect(made.created + made.updated + made.unchanged + rejected).toBe(piece.length);
        expect(await stored()).toEqual(inOrder(model));

        // Sent twice: where lines of one key have no revisions, each of them counts again.
        applyAll(model, piece);
        const again = countsOf(await importFile(piece));
        expect(again).toMatchObject({ received: piece.length, rejected, created: 0 });
        if (!revisions.includes(null) || revisions.length === 1) expect(again.updated).toBe(0);
        expect(await stored()).toEqual(inOrder(model));
        expect(await brokenHistories()).toEqual([]);
      }
    });

    it('of several batches leave what their lines leave one by one', async () => {
      const random = new Random(1);
      const lines = random.list(SEVERAL_BATCHES, () => randomLine(random, 700, revisions));
      const model: Model = new Map();
      applyAll(model, lines);
      await importFile(lines);
      expect(await stored()).toEqual(inOrder(model));
      expect(await brokenHistories()).toEqual([]);
    });
  });
});
