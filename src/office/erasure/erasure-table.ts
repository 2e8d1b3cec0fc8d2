import { drizzle } from 'drizzle-orm/d1';
import type { Instant } from '../../domain/instant.ts';
import { json } from '../../storage/db/json.ts';
import { erasuresForBackups } from '../../storage/db/schema/index.ts';
import { all, batch, first, type RowIn } from '../../storage/db/statement.ts';
import { DATABASE_CLOCK, ifKnownSchema, rethrowOutgrown, writeBatch } from '../../storage/db/writable.ts';
import { newPseudonym } from '../../storage/plate-digest/erased-plate.ts';
import { END_KEYS, ERASED_UNDER, KEYS } from '../../storage/stored-plates/subjects-statements.ts';
import type { Holder } from '../administration/holder.ts';
import * as statements from './erasure-statements.ts';

/** The last call that an erasure has searched. */
export interface CallProgress {
  readonly at: number;
  readonly id: string;
}

/** Begins or continues an erasure. */
export async function beginErasure(
  db: D1Database,
  erasure: string,
  now: Instant,
): Promise<RowIn<typeof statements.BEGIN>> {
  const begin = statements.BEGIN.prepare(db, { erasure, pseudonym: newPseudonym(), now });
  const underWay = await rethrowOutgrown(first(begin));
  if (underWay === null) {
    throw new Error('the erasure was not begun');
  }
  return underWay;
}

/** Records in the home that a plate is being erased from a tenant, so that restoring an earlier backup erases it again. */
export async function keepErasure(home: D1Database, digest: string, tenant: string): Promise<void> {
  await rethrowOutgrown(
    drizzle(home)
      .insert(erasuresForBackups)
      .values({ digest, tenant, at: ifKnownSchema(DATABASE_CLOCK) })
      .onConflictDoUpdate({ target: erasuresForBackups.digest, set: { at: DATABASE_CLOCK } })
      .run(),
  );
}

/** The keys that an erasure has replaced. */
export async function readKeys(db: D1Database, erasure: string): Promise<readonly string[]> {
  const { results } = await all(KEYS.prepare(db, { erasure }));
  return results.map(({ key }) => key);
}

/** The most digests in one statement: a parameter may have 2 MB, and a digest takes 68 bytes. */
const MAX_DIGESTS = 20_000;

/** The erasures under keys, by the keys' digests. */
export async function readErasedUnder(db: D1Database, ids: readonly number[], digests: readonly string[]) {
  const municipalities = json(ids);
  const found: RowIn<typeof ERASED_UNDER>[] = [];
  for (let from = 0; from < digests.length; from += MAX_DIGESTS) {
    const some = json(digests.slice(from, from + MAX_DIGESTS));
    found.push(...(await all(ERASED_UNDER.prepare(db, { municipalities, digests: some }))).results);
  }
  return found;
}

/** A page of whole calls, by rows and bytes of their bodies: it is searched in less than a second. */
const WHOLE_CALLS = { rows: 500, bytes: 256 * 1024 } as const;

/** The next whole calls of the tenant, and of unknown callers; empty at the end. */
export async function readWholeCalls(
  db: D1Database,
  tenant: string,
  after: CallProgress,
): Promise<statements.WholeCallRow[]> {
  const { results } = await all(statements.WHOLE_CALLS.prepare(db, { tenant, ...after, ...WHOLE_CALLS }));
  return results;
}

/** A call with the plate masked, and with its bodies as they were read. */
interface MaskedCall {
  readonly read: statements.WholeCallRow;
  readonly request: string | null;
  readonly response: string | null;
}

const countOf = (written: readonly D1Result[]): number =>
  written.reduce((sum, { results }) => sum + results.length, 0);

/** The most characters of a parameter. D1 allows 2 MB; a character has up to 3 bytes, and JSON adds more. */
const MAX_CHARACTERS = 500_000;

/**
 * Stores masked calls that have not changed since they were read, and erases their digests of the plate.
 *
 * @returns the number of calls stored
 */
export async function maskCalls(
  db: D1Database,
  masked: readonly MaskedCall[],
  digests: readonly string[],
): Promise<number> {
  let stored = 0;
  for (const list of listsOf(masked)) {
    const mask = statements.MASK_CALLS.prepare(db, { masked: list, digests: JSON.stringify(digests) });
    const written = await writeBatch(db, [mask]);
    stored += countOf(written);
  }
  return stored;
}

/** JSON lists of calls, each short enough for a parameter. */
function listsOf(calls: readonly MaskedCall[]): string[] {
  const lists: string[][] = [];
  let characters = Infinity;
  for (const { read, request, response } of calls) {
    const item = JSON.stringify([read.request_id, request, response, read.request, read.response]);
    characters += item.length;
    if (characters > MAX_CHARACTERS) {
      lists.push([]);
      characters = item.length;
    }
    lists.at(-1)?.push(item);
  }
  return lists.map((items) => `[${items.join(',')}]`);
}

/** Stores an erasure's progress. Masking a call again changes nothing. */
export async function storeProgress(db: D1Database, erasure: string, searched: CallProgress): Promise<void> {
  await statements.STORE_PROGRESS.prepare(db, { erasure, ...searched }).run();
}

/** @returns the number of calls, and of plates of calls, that have lost their digest, and whether these were all */
export async function eraseDigests(
  db: D1Database,
  { tenant, digests }: Holder,
  max: number,
): Promise<{ readonly calls: number; readonly isDone: boolean }> {
  const values = { digests: JSON.stringify(digests), max, tenant };
  const { ERASE_REJECTED, ERASE_DIGESTS, ERASE_CALL_PLATES } = statements;
  const written = await writeBatch(
    db,
    [...ERASE_REJECTED, ERASE_DIGESTS, ERASE_CALL_PLATES].map((erase) => erase.prepare(db, values)),
  );
  return { calls: countOf(written), isDone: written.every(({ results }) => results.length < max) };
}

export async function endErasure(db: D1Database, erasure: string): Promise<void> {
  await batch(db, [statements.END.prepare(db, { erasure }), END_KEYS.prepare(db, { erasure })]);
}
