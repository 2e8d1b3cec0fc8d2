import type { Instant } from '../../domain/instant.ts';
import type { Env } from '../../env.ts';
import { completeArrivals } from '../../storage/databases/arrival-table.ts';
import { databasesOf } from '../../storage/databases/bindings.ts';
import { refuseMoving } from '../../storage/databases/municipality-moving.ts';
import { allSideBySide } from '../../storage/databases/side-by-side.ts';
import { nullIfRefused } from '../../storage/db/null-if-refused.ts';
import { requireDigestKeys } from '../../storage/plate-digest/digest-keys.ts';
import type { ErasedRow } from '../../storage/plate-digest/erased-plate.ts';
import { erasePayments } from '../../storage/stored-plates/payments-table.ts';
import {
  erasureDigest,
  MAX_SUBJECTS as MAX_ROWS,
  withDigestsOf,
} from '../../storage/stored-plates/subjects.ts';
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
  readKeys,
  readWholeCalls,
  storeProgress,
} from './erasure-table.ts';
import { answerWithoutPlate, keysOf, withoutPlate } from './masked-plate.ts';
import { spelledKeys } from './spelled-keys.ts';

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
  readonly db: D1Database;
  readonly holder: Holder;
  readonly key: string;
  /** All keys are looked up; the first makes digests. */
  readonly digestKeys: readonly string[];
  /** Identifies it while it goes on. */
  readonly digest: string;
  readonly part: Part;
  readonly erased: ErasureAnswer['erased'];
}

/**
 * Erases a plate from all that a tenant holds, a bounded part with each call. It may be cut off anywhere: the next call goes
 * on from there. Once everything is erased, a further call finds nothing.
 *
 * All databases are searched: an old copy that is not cleaned up yet, and calls that were logged there, hold the plate too.
 *
 * @throws Refusal `MUNICIPALITY_MOVING`, and nothing is erased, while the writes of one of the municipalities are stopped. A stop that
 *   begins later leaves the rest to the next call
 */
export async function erasePlate(env: Env, holder: Holder, now: Instant): Promise<ErasureAnswer> {
  const digestKeys = requireDigestKeys(env);
  const [key = ''] = digestKeys;
  const digest = await erasureDigest(key, holder.tenant, holder.plate);
  const erased = { sessions: 0, subscriptions: 0, history: 0, payments: 0, calls: 0 };
  const part = new Part();
  const stopped = await completeArrivals(env);
  if (holder.municipalities.some(({ id }) => stopped.has(id))) {
    refuseMoving();
  }
  // Recorded before anything is erased, and again after: a backup that ends in between may have the plate.
  await keepErasure(env.DB, digest, holder.tenant);
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds += 1) {
    const living = await allSideBySide(databasesOf(env), ({ db }) =>
      eraseIn({ db, holder, key, digestKeys, digest, part, erased }, now),
    );
    if (living.includes(null)) {
      return { erased, more: true };
    }
    const found = new Set(living.flatMap((ids) => ids ?? []));
    if (holder.municipalities.every(({ id }) => found.has(id))) {
      await keepErasure(env.DB, digest, holder.tenant);
      return { erased, more: false };
    }
  }
  throw new Error('not every municipality of the tenant lives in one of the databases');
}

/**
 * @returns the ids of the municipalities that lived in the database while the plate was erased from it; null where that
 *   was not all
 */
async function eraseIn(erasure: Erasure, now: Instant): Promise<readonly number[] | null> {
  const { db, digest } = erasure;
  const underWay = await beginErasure(db, digest, now);
  const after = { at: underWay.calls_up_to, id: underWay.calls_after_id };
  const living = await eraseRows(erasure, now);
  if (living === null || !(await eraseWholeCalls(erasure, after)) || !(await eraseFromDigests(erasure))) {
    return null;
  }
  await endErasure(db, digest);
  return living;
}

/** @returns as {@link eraseIn} */
async function eraseRows(erasure: Erasure, now: Instant): Promise<readonly number[] | null> {
  const { db, holder, part } = erasure;
  for (;;) {
    const { subjects, living, hasPayments } = await readSubjects(db, holder, MAX_ROWS);
    if (hasPayments && !(await eraseSomePayments(erasure))) {
      return null;
    }
    const stillLiving = subjects.length === 0 ? living : await eraseSubjects(erasure, subjects, now);
    if (stillLiving === null) {
      return null;
    }
    if (subjects.length < MAX_ROWS && !hasPayments) {
      // A municipality that came or left in between had rows that were not searched.
      return living.filter((id) => stillLiving.includes(id));
    }
    if (part.isOver()) {
      return null;
    }
  }
}

/** @returns the ids of the municipalities that still live in the database; null where writes are stopped */
async function eraseSubjects(
  { db, holder, key, digest, erased }: Erasure,
  subjects: readonly ErasedRow[],
  now: Instant,
): Promise<readonly number[] | null> {
  const withDigests = await withDigestsOf(subjects, holder.plate, key);
  const counts = await nullIfRefused(() => eraseFrom(db, withDigests, holder, digest, now));
  if (counts === null) {
    return null;
  }
  erased.sessions += counts.sessions;
  erased.subscriptions += counts.subscriptions;
  erased.history += counts.history;
  return counts.living;
}

/** @returns false where writes are stopped */
async function eraseSomePayments({ db, holder, key, digest, erased }: Erasure): Promise<boolean> {
  const count = await nullIfRefused(() => erasePayments(db, holder, { key, digest }, MAX_ROWS));
  erased.payments += count ?? 0;
  return count !== null;
}

/** @returns whether that was all; likewise below */
async function eraseWholeCalls(
  { db, holder, digestKeys, digest, part, erased }: Erasure,
  from: CallProgress,
): Promise<boolean> {
  const { plate, tenant, digests } = holder;
  let taken: readonly string[] | undefined;
  for (let after = from; ; ) {
    const calls = await readWholeCalls(db, tenant, after);
    const last = calls.at(-1);
    if (last === undefined) {
      return true;
    }
    taken ??= await readKeys(db, digest);
    const keys = keysOf([...taken, ...(await spelledKeys(db, holder, digestKeys, calls))]);
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

async function eraseFromDigests({ db, holder, part, erased }: Erasure): Promise<boolean> {
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
