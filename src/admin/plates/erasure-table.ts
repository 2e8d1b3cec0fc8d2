import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import type { ErasedFrom } from '../../plate-digest/erased-plate.ts';
import * as statements from './erasure-statements.ts';
import type { Holder } from './holder.ts';

/** An erasure that is under way. */
export interface UnderWay {
  readonly pseudonym: string;
  readonly calls_up_to: number;
  readonly calls_after_id: string;
}

/** A session or subscription that the plate stands in, with the digest that stays of it there. */
export type Subject = ErasedFrom & { readonly digest: string };

export interface WholeCallRow {
  readonly request_id: string;
  readonly at: number;
  readonly request: string | null;
  readonly response: string | null;
}

/** Begins an erasure, or goes on with one, and finds what the plate stands in: one round trip. */
export async function beginErasure(
  db: D1Database,
  erasure: string,
  pseudonym: string,
  now: Instant,
  { municipalities, plate }: Holder,
  most: number,
): Promise<{ readonly underWay: UnderWay; readonly subjects: readonly ErasedFrom[] }> {
  const ids = JSON.stringify(municipalities.map(({ id }) => id));
  const [, begun, found] = await db.batch([
    db.prepare(statements.BEGIN()).bind(erasure, pseudonym, now),
    db.prepare(statements.UNDER_WAY()).bind(erasure),
    db.prepare(statements.SUBJECTS()).bind(ids, plate, most),
  ]);
  const [underWay] = (begun as D1Result<UnderWay>).results;
  if (underWay === undefined) {
    throw new Error('the erasure was not begun');
  }
  return { underWay, subjects: (found as D1Result<ErasedFrom>).results };
}

/** Erases the plate from sessions, subscriptions and their history, all or none of them. */
export async function eraseFrom(
  db: D1Database,
  subjects: readonly Subject[],
  plate: Plate,
  pseudonym: string,
  now: Instant,
) {
  const list = JSON.stringify(
    subjects.map(({ municipalityId, kind, sourceCode, key, digest }) => [
      municipalityId,
      kind,
      sourceCode,
      key,
      digest,
    ]),
  );
  const three = (text: string) => db.prepare(text).bind(list, plate, pseudonym);
  const four = (text: string) => db.prepare(text).bind(list, plate, pseudonym, now);
  const results = await db.batch<{ erased: number }>([
    three(statements.KEEP_ERASED()),
    three(statements.ERASE_HISTORY()),
    four(statements.TELL_SESSIONS()),
    four(statements.TELL_SUBSCRIPTIONS()),
    three(statements.ERASE_SESSIONS()),
    db.prepare(statements.ERASE_SUBSCRIPTIONS()).bind(list, plate),
    db.prepare(statements.MAKE_COPIES_STALE()).bind(list),
    db.prepare(statements.REQUIRE_NOT_STOPPED()).bind(list),
  ]);
  const erased = (index: number) => (results[index]?.results ?? []).map((row) => row.erased);
  return { history: erased(1).length, sessions: erased(4).length, subscriptions: new Set(erased(5)).size };
}

/** The next whole calls of the tenant. */
export async function readWholeCalls(
  db: D1Database,
  tenant: string,
  after: { readonly at: number; readonly id: string },
  most: number,
): Promise<WholeCallRow[]> {
  const { results } = await db
    .prepare(statements.WHOLE_CALLS())
    .bind(tenant, after.at, after.id, most)
    .all<WholeCallRow>();
  return results;
}

/** Stores masked calls, and how far the erasure has come, both or neither. */
export async function maskCalls(
  db: D1Database,
  erasure: string,
  masked: readonly WholeCallRow[],
  digests: readonly string[],
  upTo: { readonly at: number; readonly id: string },
): Promise<number> {
  const list = JSON.stringify(
    masked.map(({ request_id, request, response }) => [request_id, request, response]),
  );
  const [erased] = await db.batch([
    db.prepare(statements.MASK_CALLS()).bind(list, JSON.stringify(digests)),
    db.prepare(statements.KEEP_PLACE()).bind(erasure, upTo.at, upTo.id),
  ]);
  return erased?.results.length ?? 0;
}

/** @returns how many calls have lost their digest: as many as asked for where there may be more */
export async function eraseDigests(
  db: D1Database,
  digests: readonly string[],
  most: number,
): Promise<number> {
  const { results } = await db.prepare(statements.ERASE_DIGESTS()).bind(JSON.stringify(digests), most).all();
  return results.length;
}

export async function endErasure(db: D1Database, erasure: string): Promise<void> {
  await db.prepare(statements.END()).bind(erasure).run();
}
