import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { callLog, journal, sources } from '../db/schema/index.ts';
import { aliased, columns, literal, parameter, type RowOf, statement } from '../db/sql.ts';
import { MAX_READ_CHANGES, MAX_READ_CHANGES_BYTES } from '../domain/plate-reading.ts';
import { type ChangeRow, j, selectChanges } from '../history/history-table.ts';
import type { MunicipalitySearch } from '../lookups/municipality-choice.ts';
import { fromMunicipalities, MUNICIPALITY_COLUMNS, m } from '../lookups/municipality-table.ts';
import { MAX_LISTED } from './contract.ts';

const PLACE = {
  ...MUNICIPALITY_COLUMNS,
  id: sql<number | null>`${m.id}`,
  name: sql<string | null>`${m.name}`,
  time_zone: sql<string | null>`${m.timeZone}`,
  lived_in: sql<string | null>`${m.livedIn}`,
} as const;
export type PlaceRow = RowOf<typeof PLACE>;

const placesBy = (by: MunicipalitySearch['by']) =>
  statement(() => sql`select ${columns(PLACE)} ${fromMunicipalities(by)}`);

/** The municipalities of a search. */
export const PLACES = {
  code: placesBy('code'),
  credential: placesBy('credential'),
  grant: placesBy('grant'),
} as const;

const h = alias(journal, 'h');
export interface RecordedRow extends ChangeRow {
  /** How many rows there are, one more than are read where there are more. */
  readonly found: number;
}

/**
 * Parameter 1: the municipality; 2: the plate. What is recorded of it, in the order of the journal, as far as is read. How long
 * a record is stands in its row: one that is too much is not read.
 */
export const CHANGES = statement(
  () => sql`${selectChanges(
    { found: sql`page.found` },
    sql`(
      select * from (
        select sequence, count(*) over () as found, sum(bytes) over (order by sequence) - bytes as bytes_before from (
          select ${h.sequence} as sequence, coalesce(octet_length(${h.record}), 0) as bytes from ${aliased(journal, h)}
          where ${h.municipalityId} = ${parameter(1)} and ${h.plate} = ${parameter(2)}
          order by ${h.sequence} limit ${literal(MAX_READ_CHANGES + 1)}
        )
      ) where bytes_before < ${literal(MAX_READ_CHANGES_BYTES)}
    ) as page cross join ${aliased(journal, j)} on ${j.sequence} = page.sequence`,
  )}
order by page.sequence`,
);

const c = alias(journal, 'c');
const NEWEST_FIRST = sql`order by ${c.recordedAt} desc, ${c.sequence} desc`;

const configurationRows = sql`from ${aliased(journal, c)}
  where ${c.municipalityId} = ${parameter(1)} and ${c.kind} = 'configuration' and ${c.sourceCode} is null
  and ${c.key} is null`;

const part = alias(journal, 'part');

const CONFIGURATION = {
  // Of a very large municipality, areas that have no room in its row stand in the rows right behind it.
  records: sql<string>`(select json_group_array(json(${part.record}) order by ${part.sequence}) from (
      select ${c.sequence} as first, ${c.record} ->> '$.further_rows' as further ${configurationRows}
      and ${c.recordedAt} <= ${parameter(2)} ${NEWEST_FIRST} limit 1
    ) cross join ${aliased(journal, part)}
    on ${part.sequence} between first and first + coalesce(further, 0))`,
  known_since: sql<
    number | null
  >`(select ${c.recordedAt} ${configurationRows} order by ${c.recordedAt} limit 1)`,
} as const;
export type ConfigurationRow = RowOf<typeof CONFIGURATION>;

/** Parameter 1: the municipality; 2: an instant. The configuration that was known then, and since when one is known. */
export const CONFIGURATION_KNOWN = statement(() => sql`select ${columns(CONFIGURATION)}`);

const o = alias(sources, 'o');

const LAST_IMPORT = {
  code: o.code,
  // The newest import of a source says how its source's freshness stands after it.
  record: sql<string | null>`(select ${c.record} from ${aliased(journal, c)}
    where ${c.municipalityId} = ${o.municipalityId} and ${c.kind} = 'import' and ${c.sourceCode} = ${o.code}
    and ${c.key} is null and ${c.recordedAt} <= ${parameter(2)} ${NEWEST_FIRST} limit 1)`,
} as const;
export type LastImportRow = RowOf<typeof LAST_IMPORT>;

/** Parameter 1: the municipality; 2: an instant. The last import of each source that was recorded by then. */
export const LAST_IMPORTS_KNOWN = statement(
  () =>
    sql`select ${columns(LAST_IMPORT)} from ${aliased(sources, o)} where ${o.municipalityId} = ${parameter(1)}`,
);

const k = alias(callLog, 'k');
const CHECK = {
  request_id: k.requestId,
  at: k.at,
  operation: k.operation,
  credential_id: k.credentialId,
  outcome: k.outcome,
  found: sql<number>`count(*) over ()`,
} as const;
export type CheckRow = RowOf<typeof CHECK>;

/** Parameter 1: the plate's digests; 2: the municipality's code; 3 and 4: from when until when. */
export const CHECKS = statement(
  () => sql`select ${columns(CHECK)} from ${aliased(callLog, k)}
where ${k.plateDigest} in (select value from json_each(${parameter(1)}))
  and ${k.at} >= ${parameter(3)} and ${k.at} < ${parameter(4)}
  and ${k.municipalityCode} = ${parameter(2)} and ${k.operation} in ('plate_check', 'plate_check_v1')
order by ${k.at}, ${k.requestId} limit ${sql.raw(String(MAX_LISTED))}`,
);
