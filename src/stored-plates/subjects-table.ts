import { LIVING_HERE, type LivingRow } from '../admin/living-parts.ts';
import { writeBatch } from '../db/writable.ts';
import type { Instant } from '../domain/instant.ts';
import type { Plate } from '../domain/plate.ts';
import type { ErasedFrom } from '../plate-digest/erased-plate.ts';
import {
  APPEND_RENAMED,
  APPEND_REPLACED,
  END_KEYS,
  KEEP_KEYS,
  KEEP_REPLACED_PLATES,
  RENAME_HISTORY,
  RENAME_SESSIONS,
  RENAME_SUBSCRIPTIONS,
} from './renaming-statements.ts';
import * as statements from './subjects-statements.ts';

/** A plate in some municipalities. */
export interface HeldPlate {
  readonly plate: Plate;
  readonly municipalities: readonly { readonly id: number }[];
}

/** A session or subscription that has the plate, with the digest and the pseudonym that replace the plate there. */
export interface Subject extends ErasedFrom {
  readonly digest: string;
  readonly pseudonym: string;
  readonly keyDigest: string;
  /** Whether its key is made from the plate, and gives way to the digest. */
  readonly isRenamed: boolean;
}

const idsOf = ({ municipalities }: HeldPlate): string => JSON.stringify(municipalities.map(({ id }) => id));

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

/**
 * Erases the plate from sessions, subscriptions and their history, all or none of them.
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
  const { plate } = holder;
  const ofPlate = (text: string) => db.prepare(text).bind(list, plate);
  const recorded = (text: string) => db.prepare(text).bind(list, plate, now);
  const results = await writeBatch<{ erased: number } & LivingRow>(db, [
    db.prepare(statements.KEEP_ERASED()).bind(list, now),
    ofPlate(statements.ERASE_HISTORY()),
    ofPlate(statements.COUNT_OWN_HISTORY()),
    recorded(statements.APPEND_ERASED_SESSIONS()),
    recorded(statements.APPEND_ERASED_SUBSCRIPTIONS()),
    ofPlate(statements.ERASE_SESSIONS()),
    ofPlate(statements.ERASE_SUBSCRIPTIONS()),
    ...(subjects.some(({ isRenamed }) => isRenamed)
      ? [
          db.prepare(KEEP_KEYS()).bind(list, erasure),
          db.prepare(APPEND_RENAMED()).bind(list, now),
          ...[
            KEEP_REPLACED_PLATES,
            APPEND_REPLACED,
            RENAME_SESSIONS,
            RENAME_SUBSCRIPTIONS,
            RENAME_HISTORY,
          ].map((text) => db.prepare(text()).bind(list)),
        ]
      : []),
    db.prepare(statements.MAKE_COPIES_STALE()).bind(list),
    db.prepare(statements.REQUIRE_NOT_STOPPED()).bind(list),
    db.prepare(LIVING_HERE()).bind(idsOf(holder)),
  ]);
  const erased = (index: number) => (results[index]?.results ?? []).map((row) => row.erased);
  return {
    history: [...erased(1), ...erased(2)].reduce((sum, count) => sum + count, 0),
    sessions: erased(5).length,
    subscriptions: new Set(erased(6)).size,
    living: (results.at(-1)?.results ?? []).map((row) => row.id),
  };
}

/** Forgets the keys that an erasure has taken away: no call is left to look through for them. */
export async function forgetKeys(db: D1Database, erasure: string): Promise<void> {
  await db.prepare(END_KEYS()).bind(erasure).run();
}
