import { and, desc, eq, gte, lte, min, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { db, query } from '../db/batch.ts';
import { configurationVersions } from '../db/schema/index.ts';
import { atMost } from '../db/sql.ts';
import { PLAN, type WholeMunicipality, wholeMunicipality } from './kinds.ts';

/*
 * A version is a municipality's whole configuration, as JSON. A street has the settings of a facility too, for the day on which it
 * becomes one again.
 */

/** The configuration that a version holds. A property that was declared since has its default. */
export const configurationOf = (record: string): WholeMunicipality =>
  wholeMunicipality.parse(JSON.parse(record));

const earlier = alias(configurationVersions, 'earlier');

/** The instant of the newest version at the instant `at`; 0 before the first. */
const NEWEST_AT = sql`(
  select coalesce(max(${earlier.recordedAt}), 0) from ${configurationVersions} as ${earlier}
  where ${earlier.municipalityId} = ${sql.placeholder('municipalityId')} and ${earlier.recordedAt} <= ${sql.placeholder('at')})`;

/** The version that was the newest at an instant: {@link configurationOf} reads it. Values: `municipalityId`, `at`. */
export const VERSION_AT = query(() =>
  db
    .select({ record: configurationVersions.record })
    .from(configurationVersions)
    .where(
      and(
        eq(configurationVersions.municipalityId, sql.placeholder('municipalityId')),
        lte(configurationVersions.recordedAt, sql.placeholder('at')),
      ),
    )
    .orderBy(desc(configurationVersions.recordedAt))
    .limit(atMost(1)),
);

/** When the municipality was first recorded. Value: `municipalityId`. */
export const KNOWN_SINCE = query(() =>
  db
    .select({ knownSince: min(configurationVersions.recordedAt) })
    .from(configurationVersions)
    .where(eq(configurationVersions.municipalityId, sql.placeholder('municipalityId'))),
);

/**
 * A plan in each version that was the newest at `at`, or at any later instant up to `until`; the newest first. Nothing else of a
 * version is read: it may have a megabyte. Values: `municipalityId`, `at`, `until`, `planCode`.
 */
export const PLAN_VERSIONS = query(() =>
  db
    .select({
      plan: sql`"plan"."value"`.mapWith((json: string) => PLAN.whole.parse(JSON.parse(json))).as('plan'),
    })
    .from(configurationVersions)
    .crossJoin(sql`json_each(${configurationVersions.record}, '$.plans') as "plan"`)
    .where(
      and(
        eq(configurationVersions.municipalityId, sql.placeholder('municipalityId')),
        gte(configurationVersions.recordedAt, NEWEST_AT),
        lte(configurationVersions.recordedAt, sql.placeholder('until')),
        eq(sql`"plan"."value" ->> 'codice_tariffa'`, sql.placeholder('planCode')),
      ),
    )
    .orderBy(desc(configurationVersions.recordedAt)),
);
