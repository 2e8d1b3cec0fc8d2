import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { erasedDigest, keyDigest } from '../../storage/plate-digest/erased-plate.ts';
import { requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { erasureDigest, withDigestsOf } from '../../storage/stored-plates/subjects.ts';
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
  readonly #db: D1Database;
  readonly #holder: Holder;
  readonly #digestKeys: readonly string[];
  readonly #asked = new Set<string>();
  readonly #found = new Set<string>();

  /** @param digestKeys all keys that digests were made with */
  constructor(db: D1Database, holder: Holder, digestKeys: readonly string[]) {
    this.#db = db;
    this.#holder = holder;
    this.#digestKeys = digestKeys;
  }

  /** Adds the keys that calls spell. Looks up each word once. */
  async addFrom(calls: readonly WholeCallRow[]): Promise<readonly string[]> {
    const words = calls.flatMap(({ request, response }) =>
      [request, response].flatMap((text) => wordsSpelling(text, this.#holder.plate)),
    );
    await this.#lookUp(words);
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
    const rows = await readErasedUnder(this.#db, ids, [...byDigest.keys()]);
    for (const { digest, ...from } of rows) {
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

/** Limits the work of one call. */
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
  readonly db: D1Database;
  readonly holder: Holder;
  readonly key: string;
  /** Identifies the erasure until it ends. */
  readonly digest: string;
  readonly part: Part;
  readonly erased: ErasureAnswer['erased'];
}

/** The keys that calls are searched for, in addition to the plate. */
interface Sought {
  /** The keys that the erasure has replaced. */
  readonly taken: readonly string[];
  readonly spelled: SpelledKeys;
}

/**
 * Erases a plate from all of a tenant's data, a bounded part per call. A call may be cut off anywhere: the next one continues.
 * Once everything is erased, a further call finds nothing. Searches calls only once no row has the plate: then all keys that
 * calls may have are replaced.
 */
export async function erasePlate(env: Env, holder: Holder, now: Instant): Promise<ErasureAnswer> {
  const { DB: db } = env;
  const digestKeys = requireDigestKeys(env);
  const [key = ''] = digestKeys;
  const digest = await erasureDigest(key, holder.tenant, holder.plate);
  const erased = { sessions: 0, subscriptions: 0, history: 0, payments: 0, calls: 0 };
  const erasure = { db, holder, key, digest, part: new Part(), erased };
  // Recorded before and after: a backup that ends during the erasure may have the plate.
  await keepErasure(db, digest, holder.tenant);
  const after = await beginErasure(db, digest, now);
  const hasKeys = await eraseRows(erasure, now);
  if (hasKeys === null || !(await eraseCalls(erasure, after, hasKeys, digestKeys))) {
    return { erased, more: true };
  }
  await endErasure(db, digest);
  await keepErasure(db, digest, holder.tenant);
  return { erased, more: false };
}

/** @returns whether the erasure has replaced keys; null if more is left */
async function eraseRows(erasure: Erasure, now: Instant): Promise<boolean | null> {
  const { db, holder, key, digest, part, erased } = erasure;
  for (;;) {
    const { subjects, hasKeys } = await readSubjects(db, holder, digest);
    if (subjects.length === 0) {
      return hasKeys;
    }
    const withDigests = withDigestsOf(subjects, holder.plate, key);
    const counts = await eraseFrom(db, withDigests, holder, digest, now);
    erased.sessions += counts.sessions;
    erased.subscriptions += counts.subscriptions;
    erased.history += counts.history;
    erased.payments += counts.payments;
    if (part.isOver()) {
      return null;
    }
  }
}

/**
 * @param after the progress in searching calls
 * @returns false if more is left; likewise below
 */
async function eraseCalls(
  erasure: Erasure,
  after: CallProgress,
  hasKeys: boolean,
  digestKeys: readonly string[],
): Promise<boolean> {
  const { db, holder, digest } = erasure;
  const taken = hasKeys ? await readKeys(db, digest) : [];
  const spelled = new SpelledKeys(db, holder, digestKeys);
  return (await eraseWholeCalls(erasure, after, { taken, spelled })) && (await eraseFromDigests(erasure));
}

async function eraseWholeCalls(
  { db, holder, digest, part, erased }: Erasure,
  from: CallProgress,
  { taken, spelled }: Sought,
): Promise<boolean> {
  const { plate, tenant, digests } = holder;
  for (let after = from; ; ) {
    const calls = await readWholeCalls(db, tenant, after);
    const last = calls.at(-1);
    if (last === undefined) {
      return true;
    }
    const keys = keysOf([...taken, ...(await spelled.addFrom(calls))]);
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

async function eraseFromDigests({ db, holder, part, erased }: Erasure): Promise<boolean> {
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
