import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { alias, unionAll } from 'drizzle-orm/sqlite-core';
import { pick } from '../../base/platform/pick.ts';
import { MUNICIPALITY } from '../../core/entitlement/facts-table.ts';
import { selectMunicipality } from '../../serving/lookups/municipality-table.ts';
import { digestsIn, firstIdAt } from '../../storage/call-log/call-log-table.ts';
import { db, named, query } from '../../storage/db/batch.ts';
import {
  callPlates,
  calls,
  erasedPlates,
  imports,
  municipalities,
  sources,
} from '../../storage/db/schema/index.ts';
import { atMost, namedIn, uuidOf } from '../../storage/db/sql.ts';
import { CHECK_OPERATIONS } from './contract.ts';

/** The municipality of a search, by its `code`. */
export const PLACE = query(() =>
  selectMunicipality({ ...MUNICIPALITY, ...pick(municipalities, 'id', 'restoredAt') }),
);

const MUNICIPALITY_ID = sql.placeholder('municipalityId');

/** When the plate was erased. `digests`: its digests in the municipality, under every key, a JSON list. */
export const ERASED = query(() =>
  db
    .select({ erasedAt: erasedPlates.erasedAt })
    .from(erasedPlates)
    .where(and(eq(erasedPlates.municipalityId, MUNICIPALITY_ID), namedIn(erasedPlates.digest, 'digests'))),
);

const last = alias(imports, 'last');
const next = alias(imports, 'next');

/** The import of the source that this finds among its kept ones. */
const isFound = (kept: typeof last | typeof next, found: SQL, side: SQL) =>
  and(
    eq(kept.sourceId, sources.id),
    sql`${kept.recordedAt} = (
      select ${found} from ${imports} as "one"
      where "one"."source_id" = ${sources.id} and "one"."recorded_at" ${side} ${sql.placeholder('at')})`,
  );

/** The kept imports of each source on either side of the instant `at`: the last that had ended then, and the first that ended later. */
export const IMPORTS = query(() =>
  db
    .select({
      sourceCode: sources.code,
      lastOutcome: last.outcome,
      lastSucceededAt: last.succeededAt,
      nextRecordedAt: next.recordedAt,
      succeededBeforeNext: next.succeededBefore,
    })
    .from(sources)
    .leftJoin(last, isFound(last, sql`max("one"."recorded_at")`, sql`<=`))
    .leftJoin(next, isFound(next, sql`min("one"."recorded_at")`, sql`>`))
    .where(eq(sources.municipalityId, MUNICIPALITY_ID)),
);

/** The most checks that are counted. */
export const MAX_COUNTED = 1_000;

/** What is shown of a check. */
const CHECKED = {
  requestId: sql<string>`${uuidOf(calls.id)}`.as('request_id'),
  at: calls.at,
  operation: calls.operation,
  credentialId: calls.credentialId,
  officerReference: calls.officerReference,
};

const DIGESTS = digestsIn('digests');

/** Calls of the municipality that checked a plate between `from` and `until`: ids begin with the instant. */
const within = (id: typeof calls.id | typeof callPlates.id) =>
  and(
    gte(id, firstIdAt(sql.placeholder('from'))),
    lt(id, firstIdAt(sql.placeholder('until'))),
    eq(calls.municipalityCode, sql.placeholder('code')),
    inArray(calls.operation, [...CHECK_OPERATIONS]),
  );

/** The checks of the plate, by calls of their own and by those about many plates, oldest first: ids begin with the instant. */
export const CHECKS = query(() =>
  unionAll(
    db
      .select({
        ...CHECKED,
        outcome: named(calls.outcome, 'outcome'),
        position: sql<number>`0`.as('position'),
      })
      .from(calls)
      .where(and(sql`${calls.plateDigest} in ${DIGESTS}`, within(calls.id))),
    db
      .select({
        ...CHECKED,
        outcome: named(callPlates.outcome, 'outcome'),
        position: sql<number>`${callPlates.position}`.as('position'),
      })
      .from(callPlates)
      .crossJoin(calls)
      .where(
        and(sql`${callPlates.plateDigest} in ${DIGESTS}`, within(callPlates.id), eq(calls.id, callPlates.id)),
      ),
  )
    .orderBy(sql`request_id`, sql`position`)
    .limit(atMost(MAX_COUNTED)),
);
