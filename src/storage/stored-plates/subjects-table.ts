import type { Instant } from '../../domain/instant.ts';
import type { Plate } from '../../domain/plate.ts';
import { sum } from '../../domain/sum.ts';
import { json, parsed } from '../db/sql.ts';
import { first, type Statement } from '../db/statement.ts';
import type { Subject, SubjectRow } from './subjects-statements.ts';
import * as statements from './subjects-statements.ts';

/** The most subjects that one statement changes, which takes some tens of milliseconds. */
export const MAX_SUBJECTS = 500;

/** A plate in some municipalities. */
export interface HeldPlate {
  readonly plate: Plate;
  readonly municipalities: readonly { readonly id: number }[];
}

const idsOf = ({ municipalities }: HeldPlate) => json(municipalities.map(({ id }) => id));

/**
 * Reads the subjects that still have the plate.
 *
 * @param erasure the erasure's digest
 */
export async function readSubjects(
  db: D1Database,
  holder: HeldPlate,
  erasure: string,
): Promise<{
  readonly subjects: readonly SubjectRow[];
  /** Whether the erasure has replaced keys. */
  readonly hasKeys: boolean;
}> {
  const values = { municipalities: idsOf(holder), plate: holder.plate, max: MAX_SUBJECTS, erasure };
  const found = await first(statements.SUBJECTS.prepare(db, values));
  return {
    subjects: found === null ? [] : parsed(found.subjects),
    hasKeys: found?.hasKeys === 1,
  };
}

/**
 * Erases the plate from subjects, in the present and in the past, in one transaction.
 *
 * @param erasure the erasure's digest
 * @returns the number of each
 */
export async function eraseFrom(
  db: D1Database,
  subjects: readonly Subject[],
  { plate }: HeldPlate,
  erasure: string,
  now: Instant,
) {
  const list = { subjects: json(subjects) };
  const prepared = (all: readonly Statement<typeof list, unknown>[]) =>
    all.map((each) => each.prepare(db, list));
  const results = await db.batch<{ erased: unknown }>([
    ...statements.ERASING.map(({ statement }) => statement.prepare(db, { ...list, plate })),
    statements.RECORD_ERASURE.prepare(db, { ...list, now }),
    statements.FORGET_PAST.prepare(db, list),
    statements.KEEP_ERASED.prepare(db, { ...list, now }),
    ...(subjects.some(({ texts }) => texts.length > 0) ? prepared(statements.HIDING) : []),
    ...(subjects.some(({ newKey }) => newKey !== null)
      ? [statements.KEEP_KEYS.prepare(db, { ...list, erasure }), ...prepared(statements.RENAMING)]
      : []),
  ]);
  const erased = statements.ERASING.map(({ kind }, index) => ({
    kind,
    rows: (results[index]?.results ?? []).map((row) => row.erased),
  }));
  const ofKind = (kind: string) => erased.find((of) => of.kind === kind)?.rows ?? [];
  const payments = ofKind('payment').length;
  return {
    history: sum(erased.map(({ rows }) => rows.length)) - payments,
    sessions: ofKind('parking_session').length,
    subscriptions: new Set(ofKind('subscription_plate')).size,
    payments,
  };
}

/** Deletes the keys that an erasure has replaced: no call is left to search for them. */
export async function forgetKeys(db: D1Database, erasure: string): Promise<void> {
  await statements.END_KEYS.prepare(db, { erasure }).run();
}
