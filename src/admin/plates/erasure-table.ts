import type { Instant } from '../../domain/instant.ts';
import type { ErasedFrom } from '../../plate-digest/erased-plate.ts';
import * as statements from './erasure-statements.ts';
import type { Holder } from './holder.ts';
import { LIVING_HERE, type LivingRow } from './living-parts.ts';
import {
  END_KEYS,
  ERASED_UNDER,
  KEEP_KEYS,
  KEYS,
  RENAME_HISTORY,
  RENAME_SESSIONS,
  RENAME_SUBSCRIPTIONS,
  TELL_RENAMED,
} from './renaming-statements.ts';

/** An erasure that is under way. */
export interface UnderWay {
  readonly pseudonym: string;
  readonly calls_up_to: number;
  readonly calls_after_id: string;
}

/** A session or subscription that the plate stands in, with the digest that stays of it there. */
export interface Subject extends ErasedFrom {
  readonly digest: string;
  readonly keyDigest: string;
  /** Whether its key is made from the plate, and gives way to the digest. */
  readonly isRenamed: boolean;
}

/** Up to which call an erasure has come. */
export interface CallPlace {
  readonly at: number;
  readonly id: string;
}

export interface WholeCallRow {
  readonly request_id: string;
  readonly at: number;
  readonly request: string | null;
  readonly response: string | null;
}

/** Begins an erasure, or goes on with one. */
export async function beginErasure(
  db: D1Database,
  erasure: string,
  pseudonym: string,
  now: Instant,
): Promise<UnderWay> {
  const [, begun] = await db.batch([
    db.prepare(statements.BEGIN()).bind(erasure, pseudonym, now),
    db.prepare(statements.UNDER_WAY()).bind(erasure),
  ]);
  const [underWay] = (begun as D1Result<UnderWay>).results;
  if (underWay === undefined) {
    throw new Error('the erasure was not begun');
  }
  return underWay;
}

const idsOf = ({ municipalities }: Holder): string => JSON.stringify(municipalities.map(({ id }) => id));

/** What the plate stands in yet, and the ids of the municipalities that live in the database. */
export async function readSubjects(
  db: D1Database,
  holder: Holder,
  most: number,
): Promise<{ readonly subjects: readonly ErasedFrom[]; readonly living: readonly number[] }> {
  const ids = idsOf(holder);
  const [subjects, living] = (await db.batch([
    db.prepare(statements.SUBJECTS()).bind(ids, holder.plate, most),
    db.prepare(LIVING_HERE()).bind(ids),
  ])) as [D1Result<ErasedFrom>, D1Result<LivingRow>];
  return { subjects: subjects.results, living: living.results.map(({ id }) => id) };
}

/**
 * Erases the plate from sessions, subscriptions and their history, all or none of them.
 *
 * @returns how many of each, and the ids of the municipalities that live in the database
 */
export async function eraseFrom(
  db: D1Database,
  subjects: readonly Subject[],
  holder: Holder,
  { pseudonym, digest: erasure }: { readonly pseudonym: string; readonly digest: string },
  now: Instant,
) {
  const list = JSON.stringify(
    subjects.map(({ municipalityId, kind, sourceCode, key, digest, keyDigest, isRenamed }) => [
      ...[municipalityId, kind, sourceCode, key, digest, keyDigest],
      isRenamed ? keyDigest : null,
    ]),
  );
  const { plate } = holder;
  const three = (text: string) => db.prepare(text).bind(list, plate, pseudonym);
  const four = (text: string) => db.prepare(text).bind(list, plate, pseudonym, now);
  const results = await db.batch<{ erased: number } & LivingRow>([
    four(statements.KEEP_ERASED()),
    three(statements.ERASE_HISTORY()),
    four(statements.TELL_SESSIONS()),
    four(statements.TELL_SUBSCRIPTIONS()),
    three(statements.ERASE_SESSIONS()),
    db.prepare(statements.ERASE_SUBSCRIPTIONS()).bind(list, plate),
    ...(subjects.some(({ isRenamed }) => isRenamed)
      ? [
          db.prepare(KEEP_KEYS()).bind(list, erasure),
          db.prepare(TELL_RENAMED()).bind(list, now),
          ...[RENAME_SESSIONS, RENAME_SUBSCRIPTIONS, RENAME_HISTORY].map((text) =>
            db.prepare(text()).bind(list),
          ),
        ]
      : []),
    db.prepare(statements.MAKE_COPIES_STALE()).bind(list),
    db.prepare(statements.REQUIRE_NOT_STOPPED()).bind(list),
    db.prepare(LIVING_HERE()).bind(idsOf(holder)),
  ]);
  const erased = (index: number) => (results[index]?.results ?? []).map((row) => row.erased);
  return {
    history: erased(1).length,
    sessions: erased(4).length,
    subscriptions: new Set(erased(5)).size,
    living: (results.at(-1)?.results ?? []).map((row) => row.id),
  };
}

/** The keys that an erasure has taken away. */
export async function readKeys(db: D1Database, erasure: string): Promise<readonly string[]> {
  const { results } = await db.prepare(KEYS()).bind(erasure).all<{ key: string }>();
  return results.map(({ key }) => key);
}

/** What was erased under keys, by their digests. */
export async function readErasedUnder(
  db: D1Database,
  municipalities: readonly number[],
  digests: readonly string[],
): Promise<readonly (ErasedFrom & { readonly digest: string })[]> {
  const { results } = await db
    .prepare(ERASED_UNDER())
    .bind(JSON.stringify(municipalities), JSON.stringify(digests))
    .all<ErasedFrom & { readonly digest: string }>();
  return results;
}

/** How many whole calls are read at once, and how much of their bodies: what is looked through in less than a second. */
const WHOLE_CALLS = { rows: 500, bytes: 256 * 1024 } as const;

/** The next whole calls of the tenant, and of callers that nobody knows: none at the end. */
export async function readWholeCalls(
  db: D1Database,
  tenant: string,
  after: CallPlace,
): Promise<WholeCallRow[]> {
  const { results } = await db
    .prepare(statements.WHOLE_CALLS())
    .bind(tenant, after.at, after.id, WHOLE_CALLS.rows, WHOLE_CALLS.bytes)
    .all<WholeCallRow>();
  return results;
}

/** A call with the plate masked, and as it was read. */
export interface MaskedCall {
  readonly read: WholeCallRow;
  readonly request: string | null;
  readonly response: string | null;
}

/** Characters of a parameter, of which D1 takes 2 MB: JSON needs more room than the bodies have, and a character up to 3 bytes. */
const MOST_CHARACTERS = 500_000;

/**
 * Stores masked calls that are still as they were read. Their digests of the plate go with it.
 *
 * @returns how many of them are stored
 */
export async function maskCalls(
  db: D1Database,
  masked: readonly MaskedCall[],
  digests: readonly string[],
): Promise<number> {
  let stored = 0;
  for (const list of listsOf(masked)) {
    const { results } = await db.prepare(statements.MASK_CALLS()).bind(list, JSON.stringify(digests)).all();
    stored += results.length;
  }
  return stored;
}

/** JSON lists of calls, each no longer than a parameter may be. */
function listsOf(calls: readonly MaskedCall[]): string[] {
  const lists: string[][] = [];
  let characters = Infinity;
  for (const { read, request, response } of calls) {
    const item = JSON.stringify([read.request_id, request, response, read.request, read.response]);
    characters += item.length;
    if (characters > MOST_CHARACTERS) {
      lists.push([]);
      characters = item.length;
    }
    lists.at(-1)?.push(item);
  }
  return lists.map((items) => `[${items.join(',')}]`);
}

/** Keeps how far an erasure has come. What is masked twice is masked once. */
export async function keepPlace(db: D1Database, erasure: string, { at, id }: CallPlace): Promise<void> {
  await db.prepare(statements.KEEP_PLACE()).bind(erasure, at, id).run();
}

/** @returns how many calls have lost their digest: as many as asked for where there may be more */
export async function eraseDigests(
  db: D1Database,
  { tenant, digests }: Holder,
  most: number,
): Promise<number> {
  const { results } = await db
    .prepare(statements.ERASE_DIGESTS())
    .bind(JSON.stringify(digests), most, tenant)
    .all();
  return results.length;
}

export async function endErasure(db: D1Database, erasure: string): Promise<void> {
  await db.batch([statements.END, END_KEYS].map((text) => db.prepare(text()).bind(erasure)));
}
