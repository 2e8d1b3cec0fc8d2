import { and, asc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { MUNICIPALITY } from '../../core/entitlement/facts-table.ts';
import { BY_CODE, OF_TENANT } from '../../serving/lookups/municipality-table.ts';
import { digestBytes } from '../../storage/call-log/call-log-table.ts';
import { db, named, query } from '../../storage/db/batch.ts';
import {
  callPlates,
  calls,
  erasedPlates,
  imports,
  municipalities,
  sources,
  tenants,
} from '../../storage/db/schema/index.ts';
import { atMost, namedIn, uuidOf } from '../../storage/db/sql.ts';
import { CHECK_OPERATIONS } from './contract.ts';

/** The municipality of a search, by its `code`. */
export const PLACE = query(() =>
  db
    .select({ ...MUNICIPALITY, id: municipalities.id, restoredAt: municipalities.restoredAt })
    .from(municipalities)
    .innerJoin(tenants, OF_TENANT)
    .where(BY_CODE),
);

const MUNICIPALITY_ID = sql.placeholder('municipalityId');

/** When the plate was erased. `digests`: its digests in the municipality, under every key, a JSON list. */
export const ERASED = query(() =>
  db
    .select({ erasedAt: erasedPlates.erasedAt })
    .from(erasedPlates)
    .where(and(eq(erasedPlates.municipalityId, MUNICIPALITY_ID), namedIn(erasedPlates.digest, 'digests'))),
);

/** A kept import of each source: the one at this instant. */
const importsAt = (recordedAt: SQL) =>
  db
    .select({
      sourceCode: sources.code,
      outcome: imports.outcome,
      succeededAt: imports.succeededAt,
      succeededBefore: imports.succeededBefore,
    })
    .from(sources)
    .crossJoin(imports)
    .where(
      and(
        eq(sources.municipalityId, MUNICIPALITY_ID),
        eq(imports.sourceId, sources.id),
        sql`${imports.recordedAt} = (select ${recordedAt})`,
      ),
    );

const ofSource = sql`from ${imports} as "one" where "one"."source_id" = ${sources.id} and "one"."recorded_at"`;

/** The last of each source that had ended at the instant `at`. */
export const LAST_IMPORTS = query(() =>
  importsAt(sql`max("one"."recorded_at") ${ofSource} <= ${sql.placeholder('at')}`),
);
/** The first of each source that ended later. */
export const NEXT_IMPORTS = query(() =>
  importsAt(sql`min("one"."recorded_at") ${ofSource} > ${sql.placeholder('at')}`),
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

/** The plate's digests as calls have them. */
const DIGESTS = sql`(select ${digestBytes(sql.raw('value'))} from json_each(${sql.placeholder('digests')}))`;

/** Calls of the municipality that checked a plate, whose ids are within `fromId` and `untilId`: ids begin with the instant. */
const within = (id: typeof calls.id | typeof callPlates.id) =>
  and(
    gte(id, sql.placeholder('fromId')),
    lt(id, sql.placeholder('untilId')),
    eq(calls.municipalityCode, sql.placeholder('code')),
    inArray(calls.operation, [...CHECK_OPERATIONS]),
  );

/** The checks of the plate, oldest first. */
export const CHECKS = query(() =>
  db
    .select({ ...CHECKED, outcome: calls.outcome })
    .from(calls)
    .where(and(sql`${calls.plateDigest} in ${DIGESTS}`, within(calls.id)))
    .orderBy(asc(calls.id))
    .limit(atMost(MAX_COUNTED)),
);

/** Those of calls about many plates. */
export const SIGHTINGS = query(() =>
  db
    .select({ ...CHECKED, outcome: named(callPlates.outcome, 'plate_outcome') })
    .from(callPlates)
    .crossJoin(calls)
    .where(
      and(sql`${callPlates.plateDigest} in ${DIGESTS}`, within(callPlates.id), eq(calls.id, callPlates.id)),
    )
    .orderBy(asc(callPlates.id), asc(callPlates.position))
    .limit(atMost(MAX_COUNTED)),
);
