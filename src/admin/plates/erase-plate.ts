import { hmacHex } from '../../access/digest.ts';
import { completeArrivals } from '../../databases/arrival-table.ts';
import { databasesOf } from '../../databases/bindings.ts';
import { allSideBySide } from '../../databases/side-by-side.ts';
import type { Instant } from '../../domain/instant.ts';
import { type Plate, spellsPlate } from '../../domain/plate.ts';
import type { Env } from '../../env.ts';
import { whereWritable } from '../../errors/municipality-moving.ts';
import { requireDigestKeys } from '../../plate-digest/digest-keys.ts';
import {
  type ErasedFrom,
  erasedDigest,
  isKeyDigest,
  keyDigest,
  newPseudonym,
} from '../../plate-digest/erased-plate.ts';
import type { ErasureAnswer } from './contract.ts';
import {
  beginErasure,
  type CallPlace,
  endErasure,
  eraseDigests,
  eraseFrom,
  keepPlace,
  maskCalls,
  readKeys,
  readSubjects,
  readWholeCalls,
  type Subject,
} from './erasure-table.ts';
import type { Holder } from './holder.ts';
import { answerWithoutPlate, withoutPlate } from './masked-plate.ts';
import { spelledKeys } from './spelled-keys.ts';

/** What one statement changes: some tens of milliseconds' work. */
const MOST_ROWS = 500;
/** What a call does: it has to answer within its 10 s, and D1 takes a thousand statements of a request. */
const PART = { ms: 4_000, rounds: 100 } as const;

/** How often all databases are gone through, where a municipality has moved on from one that was still to come. */
const MOST_ROUNDS = 5;

/** Tells when a call has done its part, in all databases together. */
class Part {
  readonly #startedAt = performance.now();
  #rounds = 0;

  /** To be asked after each round. */
  isOver(): boolean {
    this.#rounds += 1;
    return this.#rounds >= PART.rounds || performance.now() - this.#startedAt > PART.ms;
  }
}

interface Erasure {
  readonly db: D1Database;
  readonly holder: Holder;
  readonly key: string;
  /** All that are looked up; the first is that with which digests are made. */
  readonly digestKeys: readonly string[];
  /** What it is kept under while it goes on. */
  readonly digest: string;
  readonly part: Part;
  readonly erased: ErasureAnswer['erased'];
}

/**
 * Erases a plate from all that a tenant holds, a bounded part a call. It may be cut off anywhere: the same erasure again
 * goes on where it was. Once everything is erased, the same again finds nothing.
 *
 * All databases are looked through: an old copy that is not cleaned up yet, and calls that were logged there, hold the
 * plate as well.
 *
 * @throws Refusal `MUNICIPALITY_MOVING`
 */
export async function erasePlate(env: Env, holder: Holder, now: Instant): Promise<ErasureAnswer> {
  const digestKeys = requireDigestKeys(env);
  const [key = ''] = digestKeys;
  const digest = await hmacHex(key, `erasure\0${holder.tenant}\0${holder.plate}`);
  const erased = { sessions: 0, subscriptions: 0, history: 0, calls: 0 };
  const pseudonym = newPseudonym();
  const part = new Part();
  await completeArrivals(env);
  for (let rounds = 1; rounds <= MOST_ROUNDS; rounds += 1) {
    const living = await allSideBySide(databasesOf(env), ({ db }) =>
      eraseIn({ db, holder, key, digestKeys, digest, part, erased }, pseudonym, now),
    );
    if (living.includes(null)) {
      return { erased, more: true };
    }
    const found = new Set(living.flatMap((ids) => ids ?? []));
    if (holder.municipalities.every(({ id }) => found.has(id))) {
      return { erased, more: false };
    }
  }
  throw new Error('not every municipality of the tenant lives in one of the databases');
}

/**
 * @returns the ids of the municipalities that lived in the database while the plate was erased from it; null where that
 *   was not all
 */
async function eraseIn(erasure: Erasure, pseudonym: string, now: Instant): Promise<readonly number[] | null> {
  const { db, digest } = erasure;
  const underWay = await beginErasure(db, digest, pseudonym, now);
  const after = { at: underWay.calls_up_to, id: underWay.calls_after_id };
  const living = await eraseSubjects(erasure, underWay.pseudonym, now);
  if (living === null || !(await eraseWholeCalls(erasure, after)) || !(await eraseFromDigests(erasure))) {
    return null;
  }
  await endErasure(db, digest);
  return living;
}

/** @returns as {@link eraseIn} */
async function eraseSubjects(
  { db, holder, key, digest, part, erased }: Erasure,
  pseudonym: string,
  now: Instant,
): Promise<readonly number[] | null> {
  for (;;) {
    const { subjects, living } = await readSubjects(db, holder, MOST_ROWS);
    if (subjects.length === 0) {
      return living;
    }
    const withDigests = await Promise.all(
      subjects.map((subject) => withDigestsOf(subject, holder.plate, key)),
    );
    const counts = await whereWritable(() => eraseFrom(db, withDigests, holder, { pseudonym, digest }, now));
    erased.sessions += counts.sessions;
    erased.subscriptions += counts.subscriptions;
    erased.history += counts.history;
    if (subjects.length < MOST_ROWS) {
      // One that has come or gone in between had rows that were not looked at.
      const stillLiving = new Set(counts.living);
      return living.filter((id) => stillLiving.has(id));
    }
    if (part.isOver()) {
      return null;
    }
  }
}

async function withDigestsOf(subject: ErasedFrom, plate: Plate, key: string): Promise<Subject> {
  const isDigest = isKeyDigest(subject.key);
  const name = isDigest ? subject.key : await keyDigest(key, subject.key);
  return {
    ...subject,
    digest: await erasedDigest(key, { ...subject, key: name }, plate),
    keyDigest: name,
    isRenamed: !isDigest && spellsPlate(subject.key, plate),
  };
}

/** @returns whether that was all; likewise below */
async function eraseWholeCalls(
  { db, holder, digestKeys, digest, part, erased }: Erasure,
  from: CallPlace,
): Promise<boolean> {
  const { plate, tenant, digests } = holder;
  const taken = await readKeys(db, digest);
  for (let after = from; ; ) {
    const calls = await readWholeCalls(db, tenant, after);
    const last = calls.at(-1);
    if (last === undefined) {
      return true;
    }
    const keys = [...taken, ...(await spelledKeys(db, holder, digestKeys, calls))];
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
    // After each page: however slow the database is, each call of the erasure comes further.
    await keepPlace(db, digest, after);
    if (part.isOver()) {
      return false;
    }
  }
}

async function eraseFromDigests({ db, holder, part, erased }: Erasure): Promise<boolean> {
  for (;;) {
    const calls = await eraseDigests(db, holder, MOST_ROWS);
    erased.calls += calls;
    if (calls < MOST_ROWS) {
      return true;
    }
    if (part.isOver()) {
      return false;
    }
  }
}
