import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { configurationVersions } from '../db/schema/index.ts';
import { primaryKeyOf, tableAs } from '../db/sql.ts';

/** A municipality's configuration as it was. A version has further parts if its areas did not fit into the first one. */
const version = alias(configurationVersions, 'version');

const versionsOf = (municipalityId: SQLWrapper): SQL => sql`
      from ${tableAs(configurationVersions, version, primaryKeyOf(configurationVersions))}
      where ${version.municipalityId} = ${municipalityId}`;

/** The records of the parts of the version known at an instant, a JSON list in their order. */
export const recordsKnown = (municipalityId: SQLWrapper, at: SQLWrapper): SQL => sql`(
      select json_group_array(json(${version.record}) order by ${version.part})
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} = (
          select max(${version.recordedAt})
          ${versionsOf(municipalityId)}
            and ${version.recordedAt} <= ${at}
        )
    )`;

/** As {@link recordsKnown}, the record of the first part alone: it has everything but the areas that did not fit. */
export const firstRecordKnown = (municipalityId: SQLWrapper, at: SQLWrapper): SQL => sql`(
      select ${version.record}
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} <= ${at}
        and ${version.part} = 0
      order by ${version.recordedAt} desc
      limit 1
    )`;

/** When the first known version was recorded; null if none is known. */
export const knownSince = (municipalityId: SQLWrapper): SQL<number | null> => sql`(
      select min(${version.recordedAt})
      ${versionsOf(municipalityId)}
    )`;

/** Whether a version was recorded after an instant. */
export const hasChangedSince = (municipalityId: SQLWrapper, at: SQLWrapper): SQL => sql`exists (
      select 1
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} > ${at}
    )`;

/** The number of versions recorded from an instant on. */
export const versionsSince = (municipalityId: SQLWrapper, at: SQLWrapper): SQL<number> => sql`(
      select count(*)
      ${versionsOf(municipalityId)}
        and ${version.recordedAt} >= ${at}
        and ${version.part} = 0
    )`;
