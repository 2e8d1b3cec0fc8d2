import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { erasedPlates } from '../db/schema/index.ts';
import type { ErasedFrom } from '../plate-digest/erased-plate.ts';

/** A plate that was erased from a session or a subscription. */
export interface ErasedPlate {
  readonly key: string;
  readonly digest: string;
  /** What stands in its place in a session. */
  readonly pseudonym: string | null;
}

/**
 * Selects all that was erased from a source's sessions, or from a municipality's subscriptions, in the batch that reads
 * what an import is for.
 */
export function erasedPlatesOf(
  db: D1Database,
  { municipalityId, kind, sourceCode }: Omit<ErasedFrom, 'key'>,
) {
  return drizzle(db)
    .select({ key: erasedPlates.key, digest: erasedPlates.digest, pseudonym: erasedPlates.pseudonym })
    .from(erasedPlates)
    .where(
      and(
        eq(erasedPlates.municipalityId, municipalityId),
        eq(erasedPlates.kind, kind),
        eq(erasedPlates.sourceCode, sourceCode),
      ),
    );
}
