import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { completeArrivals } from '../../storage/databases/arrival-table.ts';
import { type Database, databasesOf } from '../../storage/databases/bindings.ts';
import { refuseMoving } from '../../storage/databases/municipality-moving.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { nullIfRefused } from '../../storage/db/writable.ts';
import { erasedDigest, keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { erasureDigest, withDigestsOf } from '../../storage/stored-plates/subjects.ts';
import type { SubjectRow } from '../../storage/stored-plates/subjects-statements.ts';
import { eraseFrom, readSubjects } from '../../storage/stored-plates/subjects-table.ts';
import type { Holder } from '../administration/holders-table.ts';
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
import {
  answerWithoutPlate,
  keysOf,
  withoutPlate,
  withoutTextsSpelling,
  wordsSpelling,
} from './masked-plate.ts';

/**
 * The keys that the plate was erased from, found by the words in calls that spell it. A call may be logged after an erasure
 * has ended and its keys are deleted.
 */
class SpelledKeys {
  readonly #databases: readonly D1Database[];
  readonly #holder: Holder;
  readonly #digestKeys: readonly string[];
  readonly #asked = new Set<string>();
  readonly #found = new Set<string>();
  #asking: Promise<unknown> = Promise.resolve();

  /**
   * @param databases where the tenant's municipalities live now: calls stay behind when a municipality moves
   * @param digestKeys all keys that digests were made with
   */
  constructor(databases: readonly D1Database[], holder: Holder, digestKeys: readonly string[]) {
    this.#databases = databases;
    this.#holder = holder;
    this.#digestKeys = digestKeys;
  }

  /** Adds the keys that calls spell. Looks up each word once, because it asks every database. */
  async addFrom(calls: readonly WholeCallRow[]): Promise<readonly string[]> {
    const words = calls.flatMap(({ request, response }) =>
      [request, response].flatMap((text) => wordsSpelling(text, this.#holder.plate)),
    );
    // One lookup at a time: calls of two databases often have the same words.
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

/** The limits of one call: it must answer within 10 s, and D1 allows a thousand statements per request. */
const PART = { ms: 4_000, rounds: 100 } as const;

/** How often all databases are searched, if a municipality moves out of one that was not searched yet. */
const MAX_ROUNDS = 5;

/** Limits the work of one call, in all databases together. */
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
  /** Identifies the erasure until it ends. */
  readonly digest: string;
  readonly part: Part;
  readonly erased: ErasureAnswer['erased'];
}

/** A database in which no row has the plate. */
interface ErasedDatabase {
  readonly db: D1Database;
  /** The ids of the municipalities that lived there then. */
  readonly living: readonly number[];
  readonly hasKeys: boolean;
  /** Its progress in searching calls. */
  readonly after: CallProgress;
}

/** The keys that calls are searched for, in addition to the plate. */
interface Sought {
  /** The keys that the erasure has replaced. */
  readonly taken: () => Promise<readonly string[]>;
  readonly spelled: SpelledKeys;
}

/**
 * Erases a plate from all of a tenant's data, a bounded part per call. A call may be cut off anywhere: the next one continues.
 * Once everything is erased, a further call finds nothing.
 *
 * Searches all databases: an old copy that is not deleted yet, and calls logged there, hold the plate too. Searches calls only
 * once no database has rows with the plate: calls in one may have keys that were replaced in another.
 *
 * @throws Refusal `MUNICIPALITY_MOVING`, without erasing anything, while writes to one of the municipalities are stopped. If a
 *   stop begins later, the next call erases the rest
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
  // Recorded before and after: a backup that ends during the erasure may have the plate.
  await keepErasure(env.DB, digest, holder.tenant);
  const places = await eraseRowsEverywhere(databasesOf(env), erasure, now);
  if (places === null || !(await eraseCallsEverywhere(places, erasure, digestKeys))) {
    return { erased, more: true };
  }
  // Deletes the keys once no database needs them.
  await allSideBySide(places, ({ db }) => endErasure(db, digest));
  await keepErasure(env.DB, digest, holder.tenant);
  return { erased, more: false };
}

/** @returns null if more is left */
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

/** @returns null if more is left */
async function eraseRows(db: D1Database, erasure: Erasure, now: Instant): Promise<ErasedDatabase | null> {
  const { holder, digest, part } = erasure;
  const after = await beginErasure(db, digest, now);
  for (;;) {
    const { subjects, living, hasKeys } = await readSubjects(db, holder, digest);
    if (subjects.length === 0) {
      // One statement has read both: no municipality that lives here has a row with the plate.
      return { db, living, hasKeys, after };
    }
    if (!(await eraseSubjects(db, erasure, subjects, now)) || part.isOver()) {
      return null;
    }
  }
}

/** @returns false if writes are stopped */
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

/** @returns false if more is left; likewise below */
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

/** The keys that the erasure has replaced in any database. */
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
      const isAbout = request !== read.request || response !== read.response;
      const without = (text: string | null) => withoutTextsSpelling(text, plate);
      return isAbout ? [{ read, request: without(request), response: without(response) }] : [];
    });
    const stored = masked.length === 0 ? 0 : await maskCalls(db, masked, digests);
    erased.calls += stored;
    // Another erasure may have masked some of these calls. Reads the page again, so that neither writes the other's plate back.
    if (stored === masked.length) {
      after = { at: last.at, id: last.request_id };
    }
    // After each page, so that every call makes progress even if the database is slow.
    await storeProgress(db, digest, after);
    if (part.isOver()) {
      return false;
    }
  }
}

async function eraseFromDigests(db: D1Database, { holder, part, erased }: Erasure): Promise<boolean> {
  for (;;) {
    const { calls, isDone } = await eraseDigests(db, holder);
    erased.calls += calls;
    if (isDone) {
      return true;
    }
    if (part.isOver()) {
      return false;
    }
  }
}
