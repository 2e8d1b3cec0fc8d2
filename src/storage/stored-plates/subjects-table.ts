import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { LIVING_HERE, type LivingRow } from '../databases/living-parts.ts';
import { json } from '../db/json.ts';
import { writeBatch } from '../db/writable.ts';
import type { ErasedFrom } from '../plate-digest/erased-plate.ts';
import { END_KEYS, KEEP_KEYS, RENAME_SESSIONS, RENAME_SUBSCRIPTIONS } from './renaming-statements.ts';
import * as statements from './subjects-statements.ts';

/** A plate in some municipalities. */
export interface HeldPlate {
  readonly plate: Plate;
  readonly municipalities: readonly { readonly id: number }[];
}

/** A session or subscription that has the plate, with the digest and the pseudonym that replace the plate there. */
export interface Subject extends ErasedFrom {
  readonly digest: string;
  /** Null for a subscription, which goes without the plate. */
  readonly pseudonym: string | null;
  readonly keyDigest: string;
  /** Whether its key is made from the plate, and gives way to the digest. */
  readonly isRenamed: boolean;
}

const idsOf = ({ municipalities }: HeldPlate) => json(municipalities.map(({ id }) => id));

/** What still has the plate, and the ids of the municipalities that live in the database. */
export async function readSubjects(
  db: D1Database,
  holder: HeldPlate,
  max: number,
): Promise<{ readonly subjects: readonly ErasedFrom[]; readonly living: readonly number[] }> {
  const found = await db
    .prepare(statements.SUBJECTS())
    .bind(idsOf(holder), holder.plate, max)
    .first<{ subjects: string; living: string }>();
  return {
    subjects: JSON.parse(found?.subjects ?? '[]') as ErasedFrom[],
    living: JSON.parse(found?.living ?? '[]') as number[],
  };
}

/** Counted of an erasure, in the order of its statements. */
const ERASING = [
  statements.ERASE_SESSIONS,
  statements.ERASE_PAST_SESSIONS,
  statements.ERASE_PLATES,
  statements.ERASE_PAST_PLATES,
] as const;

/**
 * Erases the plate from sessions and subscriptions, of the present and of the past, all or none of them.
 *
 * @param erasure the erasure's digest
 * @returns how many of each, and the ids of the municipalities that live in the database
 */
export async function eraseFrom(
  db: D1Database,
  subjects: readonly Subject[],
  holder: HeldPlate,
  erasure: string,
  now: Instant,
) {
  const list = JSON.stringify(
    subjects.map(({ municipalityId, kind, sourceCode, key, digest, keyDigest, isRenamed, pseudonym }) => [
      ...[municipalityId, kind, sourceCode, key, digest, keyDigest],
      ...[isRenamed ? keyDigest : null, pseudonym],
    ]),
  );
  const ofSubjects = (text: () => string, ...more: readonly unknown[]) =>
    db.prepare(text()).bind(list, ...more);
  const results = await writeBatch<{ erased: number } & LivingRow>(db, [
    ...ERASING.map((text) => ofSubjects(text, holder.plate)),
    ofSubjects(statements.RECORD_ERASURE, now),
    ofSubjects(statements.FORGET_PAST),
    ofSubjects(statements.KEEP_ERASED, now),
    ...(subjects.some(({ isRenamed }) => isRenamed)
      ? [ofSubjects(KEEP_KEYS, erasure), ofSubjects(RENAME_SESSIONS), ofSubjects(RENAME_SUBSCRIPTIONS)]
      : []),
    ofSubjects(statements.MAKE_COPIES_STALE),
    ofSubjects(statements.REQUIRE_NOT_STOPPED),
    LIVING_HERE.prepare(db, { ids: idsOf(holder) }),
  ]);
  const [sessions = [], pastSessions = [], plates = [], pastPlates = []] = results.map((result) =>
    result.results.map(({ erased }) => erased),
  );
  return {
    history: sessions.length + pastSessions.length + plates.length + pastPlates.length,
    sessions: sessions.length,
    subscriptions: new Set(plates).size,
    living: (results.at(-1)?.results ?? []).map((row) => row.id),
  };
}

/** Forgets the keys that an erasure has taken away: no call is left to look through for them. */
export async function forgetKeys(db: D1Database, erasure: string): Promise<void> {
  await db.prepare(END_KEYS()).bind(erasure).run();
}
