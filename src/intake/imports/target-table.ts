import { and, eq, type SQL, sql } from 'drizzle-orm';
import { FULL_BYTES } from '../../domain/import-bounds.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { BY_CODE, FOUND, OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { db, measured, query } from '../../storage/db/batch.ts';
import { retry } from '../../storage/db/retry.ts';
import {
  areas,
  erasedPlates,
  municipalities,
  sources,
  subscriptionTypes,
  tenants,
} from '../../storage/db/schema/index.ts';
import type { ErasedPlates } from './erased.ts';

/** What an import needs to know of its municipality. */
export interface Target extends FoundMunicipality {
  readonly id: number;
  /** Ids by code, inactive ones too. */
  readonly areas: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, number>;
  /** The id of the active source that the call names, if there is one. */
  readonly sourceId: number | null;
  readonly erased: ErasedPlates<string>;
}

const municipality = query(() =>
  db
    .select({ ...FOUND, id: municipalities.id })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(BY_CODE),
);

const idsOf = (table: typeof areas | typeof subscriptionTypes | typeof sources, condition?: SQL) =>
  query(() =>
    db
      .select({ code: table.code, id: table.id })
      .from(municipalities)
      .innerJoin(table, and(eq(table.municipalityId, municipalities.id), condition))
      .where(BY_CODE),
  );
const areasOf = idsOf(areas);
const typesOf = idsOf(subscriptionTypes);
const sourceOf = idsOf(
  sources,
  and(eq(sources.code, sql.placeholder('sourceCode')), eq(sources.active, true)),
);
const erasedOf = query(() =>
  db
    .select({ digest: erasedPlates.digest, erasedAt: erasedPlates.erasedAt })
    .from(municipalities)
    .innerJoin(erasedPlates, eq(erasedPlates.municipalityId, municipalities.id))
    .where(BY_CODE),
);

/**
 * Reads the municipality of an import; null if it is unknown.
 *
 * @param sourceCode null for subscriptions
 * @throws Error where the database is too full for imports
 */
export async function readTarget(
  d1: D1Database,
  code: string,
  sourceCode: string | null,
): Promise<Target | null> {
  const { rows, bytes } = await retry(() =>
    measured(d1, [municipality, areasOf, typesOf, sourceOf, erasedOf], { code, sourceCode }),
  );
  const [[found], areaRows, typeRows, [source], erasedRows] = rows;
  if (bytes > FULL_BYTES) throw new Error(`the database has ${bytes} bytes: it takes no import`);
  return found === undefined
    ? null
    : {
        ...found,
        areas: idsByCode(areaRows),
        types: idsByCode(typeRows),
        sourceId: source?.id ?? null,
        erased: new Map(erasedRows.map(({ digest, erasedAt }) => [digest, erasedAt])),
      };
}

const idsByCode = (rows: readonly { readonly code: string; readonly id: number }[]) =>
  new Map(rows.map(({ code, id }) => [code, id]));
