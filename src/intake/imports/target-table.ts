import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { FULL_BYTES } from '../../domain/import-bounds.ts';
import { BY_CODE, selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { db, measured, query } from '../../storage/db/batch.ts';
import { retry } from '../../storage/db/retry.ts';
import {
  areas,
  erasedPlates,
  municipalities,
  parkingSessions,
  sources,
  subscriptions,
  subscriptionTypes,
} from '../../storage/db/schema/index.ts';

/** The mark of a digest, by an index. */
const startsWithMark = (key: SQLiteColumn): SQL => sql`${key} >= '*' and ${key} < '+'`;

const MUNICIPALITY = query(() =>
  selectMunicipality({
    id: municipalities.id,
    // Of the active source that the call names, if there is one.
    sourceId: sql<number | null>`${sources.id}`.as('source_id'),
    /** Whether a row may have a digest as its key: also where the erasure was lifted since, or its time is over. */
    hasKeyDigests: sql`exists (
        select 1 from ${parkingSessions} where ${parkingSessions.municipalityId} = ${municipalities.id}
          and ${parkingSessions.sourceCode} = ${sql.placeholder('sourceCode')} and ${startsWithMark(parkingSessions.sessionId)}
      ) or exists (
        select 1 from ${subscriptions} where ${subscriptions.municipalityId} = ${municipalities.id}
          and ${startsWithMark(subscriptions.subscriptionNumber)})`
      .mapWith(Boolean)
      .as('has_key_digests'),
  }).leftJoin(
    sources,
    and(
      eq(sources.municipalityId, municipalities.id),
      eq(sources.code, sql.placeholder('sourceCode')),
      eq(sources.active, true),
    ),
  ),
);

const idsOf = (table: typeof areas | typeof subscriptionTypes) =>
  query(() =>
    db
      .select({ code: table.code, id: table.id })
      .from(municipalities)
      .innerJoin(table, eq(table.municipalityId, municipalities.id))
      .where(BY_CODE),
  );
const [AREAS, TYPES] = [idsOf(areas), idsOf(subscriptionTypes)];

const ERASED = query(() =>
  db
    .select({ digest: erasedPlates.digest, erasedAt: erasedPlates.erasedAt })
    .from(municipalities)
    .innerJoin(erasedPlates, eq(erasedPlates.municipalityId, municipalities.id))
    .where(BY_CODE),
);

/** What an import needs to know of its municipality. */
export type Target = NonNullable<Awaited<ReturnType<typeof readTarget>>>;

/**
 * Reads the municipality of an import; null if it is unknown.
 *
 * @param sourceCode null for subscriptions
 * @throws Error where the database is too full for imports
 */
export async function readTarget(d1: D1Database, code: string, sourceCode: string | null) {
  const { rows, bytes } = await retry(() =>
    measured(d1, [MUNICIPALITY, AREAS, TYPES, ERASED], { code, sourceCode }),
  );
  const [[found], areaRows, typeRows, erasedRows] = rows;
  if (bytes > FULL_BYTES) throw new Error(`the database has ${bytes} bytes: it takes no import`);
  if (found === undefined) return null;
  return {
    ...found,
    sourceCode,
    /** Ids by code, inactive ones too. */
    areas: new Map(areaRows.map(({ code, id }) => [code, id])),
    types: new Map(typeRows.map(({ code, id }) => [code, id])),
    /** When plates were erased, by their digests. */
    erased: new Map(erasedRows.map(({ digest, erasedAt }) => [digest, erasedAt])),
  };
}
