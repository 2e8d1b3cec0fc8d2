import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { sum } from '../../domain/sum.ts';
import { json } from '../db/json.ts';
import { writeBatch } from '../db/writable.ts';
import type { ErasedRow } from '../plate-digest/erased-plate.ts';
import * as statements from './subjects-statements.ts';

/** A plate in some municipalities. */
export interface HeldPlate {
  readonly plate: Plate;
  readonly municipalities: readonly { readonly id: number }[];
}

/** A row that has the plate, with the digest and the pseudonym that replace the plate there. */
export interface Subject extends ErasedRow {
  readonly digest: string;
  /** Null for a subscription, which goes without the plate. */
  readonly pseudonym: string | null;
  readonly keyDigest: string;
  /** Whether its key is made from the plate, and gives way to the digest. */
  readonly isRenamed: boolean;
}

const idsOf = ({ municipalities }: HeldPlate) => json(municipalities.map(({ id }) => id));

/**
 * What still has the plate, and the ids of the municipalities that live in the database.
 *
 * @param erasure the erasure's digest
 */
export async function readSubjects(
  db: D1Database,
  holder: HeldPlate,
  erasure: string,
  max: number,
): Promise<{
  readonly subjects: readonly ErasedRow[];
  readonly living: readonly number[];
  readonly hasPayments: boolean;
  /** Whether the erasure has taken keys away in the database. */
  readonly hasKeys: boolean;
}> {
  const found = await db
    .prepare(statements.SUBJECTS())
    .bind(idsOf(holder), holder.plate, max, erasure)
    .first<{ subjects: string; living: string; hasPayments: number; hasKeys: number }>();
  return {
    subjects: JSON.parse(found?.subjects ?? '[]') as ErasedRow[],
    living: JSON.parse(found?.living ?? '[]') as number[],
    hasPayments: found?.hasPayments === 1,
    hasKeys: found?.hasKeys === 1,
  };
}

/**
 * Erases the plate from subjects, in the present and in the past, from all or none of them.
 *
 * @param erasure the erasure's digest
 * @returns how many of each
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
  const results = await writeBatch<{ erased: number }>(db, [
    ...statements.ERASING.map(({ text }) => ofSubjects(text, holder.plate)),
    ofSubjects(statements.RECORD_ERASURE, now),
    ofSubjects(statements.FORGET_PAST),
    ofSubjects(statements.KEEP_ERASED, now),
    ...(subjects.some(({ isRenamed }) => isRenamed)
      ? [ofSubjects(statements.KEEP_KEYS, erasure), ...statements.RENAMING.map((text) => ofSubjects(text))]
      : []),
    ofSubjects(statements.MAKE_COPIES_STALE),
    ofSubjects(statements.REQUIRE_NOT_STOPPED),
  ]);
  const erased = statements.ERASING.map(({ kind }, index) => ({
    kind,
    rows: (results[index]?.results ?? []).map((row) => row.erased),
  }));
  const ofKind = (kind: string) => erased.find((of) => of.kind === kind)?.rows ?? [];
  return {
    history: sum(erased.map(({ rows }) => rows.length)),
    sessions: ofKind('parking_session').length,
    subscriptions: new Set(ofKind('subscription_plate')).size,
  };
}

/** Forgets the keys that an erasure has taken away: no call is left to look through for them. */
export async function forgetKeys(db: D1Database, erasure: string): Promise<void> {
  await db.prepare(statements.END_KEYS()).bind(erasure).run();
}
