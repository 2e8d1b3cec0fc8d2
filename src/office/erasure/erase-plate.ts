import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { completeArrivals } from '../../storage/databases/arrival-table.ts';
import { type Database, databasesOf } from '../../storage/databases/bindings.ts';
import { refuseMoving } from '../../storage/databases/municipality-moving.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { nullIfRefused } from '../../storage/db/null-if-refused.ts';
import { requireDigestKeys } from '../../storage/plate-digest/digest-keys.ts';
import { erasedDigest, keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import {
  erasureDigest,
  MAX_SUBJECTS as MAX_ROWS,
  withDigestsOf,
} from '../../storage/stored-plates/subjects.ts';
import type { SubjectRow } from '../../storage/stored-plates/subjects-statements.ts';
import { eraseFrom, readSubjects } from '../../storage/stored-plates/subjects-table.ts';
import type { Holder } from '../administration/holder.ts';
import type { ErasureAnswer } from './contract.ts';
import {
  beginErasure,
  type CallProgress,
  endErasure,
  eraseDigests,
  keepErasure,
  maskCalls,
  readErasedUnder,
  readKeys,
  readWholeCalls,
  storeProgress,
  type WholeCallRow,
} from './erasure-table.ts';
import { answerWithoutPlate, keysOf, withoutPlate, wordsSpelling } from './masked-plate.ts';

/**
 * The keys that the plate was erased from, found among the words of calls that spell it: a call may be logged after an
 * erasure has ended and its keys are forgotten.
 */
class SpelledKeys {
  readonly #databases: readonly D1Database[];
  readonly #holder: Holder;
  readonly #digestKeys: readonly string[];
  readonly #asked = new Set<string>();
  readonly #found = new Set<string>();
  #asking: Promise<unknown> = Promise.resolve();

  /**
   * @param databases where the tenant's municipalities live: a municipality that has moved has left its calls behind
   * @param digestKeys all of them
   */
  constructor(databases: readonly D1Database[], holder: Holder, digestKeys: readonly string[]) {
    this.#databases = databases;
    this.#holder = holder;
    this.#digestKeys = digestKeys;
  }

  /** Adds those that calls spell. Each word is looked up once, since every database is asked for it. */
  async addFrom(calls: readonly WholeCallRow[]): Promise<readonly string[]> {
    const words = calls.flatMap(({ request, response }) =>
      [request, response].flatMap((text) => wordsSpelling(text, this.#holder.plate)),
    );
    // One after the other: calls of two databases often have the same words.
    const asking = this.#asking.then(() => this.#lookUp(words));
    this.#asking = asking.catch(() => undefined);
    await asking;
    return [...this.#found];
  }

  async #lookUp(words: readonly string[]): Promise<void> {
    const unknown = [...new Set(words)].filter((word) => !this.#asked.has(word));
    if (unknown.length === 0) {
      return;
    }
    const { plate, municipalities } = this.#holder;
    const byDigest = new Map(
      unknown.flatMap((word) =>
        this.#digestKeys.map((digestKey) => [keyDigest(digestKey, word), word] as const),
      ),
    );
    const ids = municipalities.map(({ id }) => id);
    const rows = await allSideBySide(this.#databases, (db) => readErasedUnder(db, ids, [...byDigest.keys()]));
    for (const { digest, ...from } of rows.flat()) {
      const word = byDigest.get(from.key);
      const isIts =
        digest === null ||
        this.#digestKeys.some((digestKey) => erasedDigest(digestKey, from, plate) === digest);
      if (word !== undefined && isIts) {
        this.#found.add(word);
      }
    }
    for (const word of unknown) {
      this.#asked.add(word);
    }
  }
}

/** How much one call does: it must answer within 10 s, and D1 allows a request a thousand statements. */
const PART = { ms: 4_000, rounds: 100 } as const;

/** How often all databases are searched, if a municipality moves out of one that was yet to be searched. */
const MAX_ROUNDS = 5;

/** Knows when a call has done its part, in all databases together. */
class Part {
  readonly #startedAt = performance.now();
  #rounds = 0;

  /** Ask it after each round. */
  isOver(): boolean {
    this.#rounds += 1;
    return this.#rounds >= PART.rounds || performance.now() - this.#startedAt > PART.ms;
  }
}

interface Erasure {
  readonly holder: Holder;
  readonly key: string;
  /** Identifies it while it goes on. */
  readonly digest: string;
  readonly part: Part;
  readonly erased: ErasureAnswer['erased'];
}

/** A database in which no row has the plate any more. */
interface ErasedDatabase {
  readonly db: D1Database;
  /** The ids of the municipalities that lived there then. */
  readonly living: readonly number[];
  readonly hasKeys: boolean;
  /** How far its calls were searched before. */
  readonly after: CallProgress;
}

/** What its calls are searched for besides the plate. */
interface Sought {
  /** The keys that the erasure has taken away. */
  readonly taken: () => Promise<readonly string[]>;
  readonly spelled: SpelledKeys;
}

/**
 * Erases a plate from all that a tenant holds, a bounded part with each call. It may be cut off anywhere: the next call goes
 * on from there. Once everything is erased, a further call finds nothing.
 *
 * All databases are searched: an old copy that is not cleaned up yet, and calls that were logged there, hold the plate too.
 * Calls are searched once every database has lost its rows: calls of one may have keys that were taken away in another.
 *
 * @throws Refusal `MUNICIPALITY_MOVING`, and nothing is erased, while the writes of one of the municipalities are stopped. A stop that
 *   begins later leaves the rest to the next call
 */
export async function erasePlate(env: Env, holder: Holder, now: Instant): Promise<ErasureAnswer> {
  const digestKeys = requireDigestKeys(env);
  const [key = ''] = digestKeys;
  const digest = await erasureDigest(key, holder.tenant, holder.plate);
  const erased = { sessions: 0, subscriptions: 0, history: 0, payments: 0, calls: 0 };
  const erasure = { holder, key, digest, part: new Part(), erased };
  const stopped = await completeArrivals(env);
  if (holder.municipalities.some(({ id }) => stopped.has(id))) {
    refuseMoving();
  }
  // Recorded before anything is erased, and again after: a backup that ends in between may have the plate.
  await keepErasure(env.DB, digest, holder.tenant);
  const places = await eraseRowsEverywhere(databasesOf(env), erasure, now);
  if (places === null || !(await eraseCallsEverywhere(places, erasure, digestKeys))) {
    return { erased, more: true };
  }
  // The keys are forgotten once no database needs them.
  await allSideBySide(places, ({ db }) => endErasure(db, digest));
  await keepErasure(env.DB, digest, holder.tenant);
  return { erased, more: false };
}

/** @returns null where that was not all */
async function eraseRowsEverywhere(
  databases: readonly Database[],
  erasure: Erasure,
  now: Instant,
): Promise<readonly ErasedDatabase[] | null> {
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds += 1) {
    const outcomes = await allSideBySide(databases, ({ db }) => eraseRows(db, erasure, now));
    const places = outcomes.filter((place) => place !== null);
    if (places.length < outcomes.length) {
      return null;
    }
    const found = new Set(places.flatMap(({ living }) => living));
    if (erasure.holder.municipalities.every(({ id }) => found.has(id))) {
      return places;
    }
  }
  throw new Error('not every municipality of the tenant lives in one of the databases');
}

/** @returns null where that was not all */
async function eraseRows(db: D1Database, erasure: Erasure, now: Instant): Promise<ErasedDatabase | null> {
  const { holder, digest, part } = erasure;
  const underWay = await beginErasure(db, digest, now);
  const after = { at: underWay.calls_up_to, id: underWay.calls_after_id };
  for (;;) {
    const { subjects, living, hasKeys } = await readSubjects(db, holder, digest, MAX_ROWS);
    if (subjects.length === 0) {
      // One statement has found both: whatever lives here now has no row with the plate.
      return { db, living, hasKeys, after };
    }
    if (!(await eraseSubjects(db, erasure, subjects, now)) || part.isOver()) {
      return null;
    }
  }
}

/** @returns false where writes are stopped */
async function eraseSubjects(
  db: D1Database,
  { holder, key, digest, erased }: Erasure,
  subjects: readonly SubjectRow[],
  now: Instant,
): Promise<boolean> {
  const withDigests = withDigestsOf(subjects, holder.plate, key);
  const counts = await nullIfRefused(() => eraseFrom(db, withDigests, holder, digest, now));
  if (counts === null) {
    return false;
  }
  erased.sessions += counts.sessions;
  erased.subscriptions += counts.subscriptions;
  erased.history += counts.history;
  erased.payments += counts.payments;
  return true;
}

/** @returns whether that was all; likewise below */
async function eraseCallsEverywhere(
  places: readonly ErasedDatabase[],
  erasure: Erasure,
  digestKeys: readonly string[],
): Promise<boolean> {
  const homes = places.filter(({ living }) => living.length > 0).map(({ db }) => db);
  let taken: Promise<readonly string[]> | undefined;
  const sought = {
    taken: () => (taken ??= readAllKeys(places, erasure.digest)),
    spelled: new SpelledKeys(homes, erasure.holder, digestKeys),
  };
  const areDone = await allSideBySide(
    places,
    async (place) =>
      (await eraseWholeCalls(place, erasure, sought)) && (await eraseFromDigests(place.db, erasure)),
  );
  return areDone.every((isDone) => isDone);
}

/** The keys that the erasure has taken away in any database. */
async function readAllKeys(places: readonly ErasedDatabase[], digest: string): Promise<readonly string[]> {
  const withKeys = places.filter(({ hasKeys }) => hasKeys);
  return (await allSideBySide(withKeys, ({ db }) => readKeys(db, digest))).flat();
}

async function eraseWholeCalls(
  { db, after: from }: ErasedDatabase,
  { holder, digest, part, erased }: Erasure,
  { taken, spelled }: Sought,
): Promise<boolean> {
  const { plate, tenant, digests } = holder;
  for (let after = from; ; ) {
    const calls = await readWholeCalls(db, tenant, after);
    const last = calls.at(-1);
    if (last === undefined) {
      return true;
    }
    const keys = keysOf([...(await taken()), ...(await spelled.addFrom(calls))]);
    const masked = calls.flatMap((read) => {
      const request = withoutPlate(read.request, plate, keys);
      const response = answerWithoutPlate(read.response, plate, keys);
      return request === read.request && response === read.response ? [] : [{ read, request, response }];
    });
    const stored = masked.length === 0 ? 0 : await maskCalls(db, masked, digests);
    erased.calls += stored;
    // Calls that another erasure has masked meanwhile are read again: neither writes the other's plate back.
    if (stored === masked.length) {
      after = { at: last.at, id: last.request_id };
    }
    // After each page, so that each call makes progress, however slow the database is.
    await storeProgress(db, digest, after);
    if (part.isOver()) {
      return false;
    }
  }
}

async function eraseFromDigests(db: D1Database, { holder, part, erased }: Erasure): Promise<boolean> {
  for (;;) {
    const { calls, isDone } = await eraseDigests(db, holder, MAX_ROWS);
    erased.calls += calls;
    if (isDone) {
      return true;
    }
    if (part.isOver()) {
      return false;
    }
  }
}
