import { and, asc, desc, eq, gte, lte, min, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Instant } from '../../domain/instant.ts';
import { db, query, read } from '../db/batch.ts';
import { configurationVersions } from '../db/schema/index.ts';
import { atMost } from '../db/sql.ts';
import { type WholeMunicipality, wholeMunicipality } from './kinds.ts';

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

const PLANS_SINCE = query(() =>
  db
    .select({
      recordedAt: configurationVersions.recordedAt,
      plans: sql<string>`${configurationVersions.record} -> '$.plans'`.as('plans'),
    })
    .from(configurationVersions)
    .where(
      and(
        eq(configurationVersions.municipalityId, sql.placeholder('municipalityId')),
        gte(configurationVersions.recordedAt, NEWEST_AT),
      ),
    )
    .orderBy(asc(configurationVersions.recordedAt)),
);

/** The plans of the versions that were the newest at `from` or later, the oldest first. A whole version may have a megabyte. */
export async function readConfigurationsSince(d1: D1Database, municipalityId: number, from: Instant) {
  const [versions] = await read(d1, [PLANS_SINCE], { municipalityId, at: from });
  return versions.map(({ recordedAt, plans }) => ({
    recordedAt,
    plans: wholeMunicipality.shape.plans.parse(JSON.parse(plans)),
  }));
}
