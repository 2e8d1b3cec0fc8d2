import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type CallTable, LOGGED_CALLS, PLATES_OF_CALLS } from '../call-log/calls-parts.ts';
import { configurationVersions, pastSourceImports, sourceImports, sources } from '../db/schema/index.ts';
import { columns, literal, parameter, type RowOf, statement, tableAs } from '../db/sql.ts';
import type { ImportOutcome } from '../domain/source-freshness.ts';
import { CHECK_OPERATIONS, MAX_LISTED } from './contract.ts';

const version = alias(configurationVersions, 'version');
const ofMunicipality = sql`from ${tableAs(configurationVersions, version)} where ${version.municipalityId} = ${parameter(1)}`;

const CONFIGURATION = {
  // Of a very large municipality, areas that have no room in the first part are in further ones.
  records: sql<string>`(select json_group_array(json(${version.record}) order by ${version.part}) ${ofMunicipality}
    and ${version.recordedAt} = (select max(${version.recordedAt}) ${ofMunicipality} and ${version.recordedAt} <= ${parameter(2)}))`,
  known_since: sql<number | null>`(select min(${version.recordedAt}) ${ofMunicipality})`,
} as const;
export type ConfigurationRow = RowOf<typeof CONFIGURATION>;

/** Parameter 1: the municipality; 2: an instant. The configuration that was known then, and since when one is known. */
export const CONFIGURATION_KNOWN = statement(() => sql`select ${columns(CONFIGURATION)}`);

const source = alias(sources, 'source');

const lastImport = alias(sourceImports, 'last_import');
const pastImport = alias(pastSourceImports, 'past_import');
const knownImport = (name: 'lastOutcome' | 'lastSuccessfulAt'): SQL =>
  sql`iif(${lastImport.recordedAt} <= ${parameter(2)}, ${lastImport[name]}, ${pastImport[name]})`;

const LAST_IMPORT = {
  code: source.code,
  last_outcome: sql<ImportOutcome | null>`${knownImport('lastOutcome')}`,
  last_successful_at: sql<number | null>`${knownImport('lastSuccessfulAt')}`,
} as const;
export type LastImportRow = RowOf<typeof LAST_IMPORT>;

/** Parameter 1: the municipality; 2: an instant. How the imports of each source stood, as it was known then. */
export const LAST_IMPORTS_KNOWN = statement(
  () => sql`
select ${columns(LAST_IMPORT)} from ${tableAs(sources, source)}
left join ${tableAs(sourceImports, lastImport)} on ${lastImport.sourceId} = ${source.id}
left join ${tableAs(pastSourceImports, pastImport)} on ${pastImport.sourceId} = ${source.id}
  and ${pastImport.recordedAt} <= ${parameter(2)} and ${pastImport.replacedAt} > ${parameter(2)}
where ${source.municipalityId} = ${parameter(1)}`,
);

/** A check. */
export interface CheckRow {
  readonly request_id: string;
  readonly at: number;
  readonly operation: string;
  readonly credential_id: string | null;
  readonly officer_reference: string | null;
  readonly outcome: string;
}

/** How many checks were found, and calls looked at; and a check, where there is one. */
export type ChecksRow = { readonly looked_at: number } & (
  | (CheckRow & { readonly found: number })
  | { readonly found: null }
);

/** The most calls about a plate that are looked at, of each table. A vehicle is checked some tens of times in two days. */
export const MAX_LOOKED_AT = 2_000;

/** Digest by digest, in the order of their instants: the index has them so. */
const callsIn = ({ from, columns: of, position, hasDigestIn, since, before }: CallTable): SQL => sql`
  select * from (
    select ${columns({
      ...{ request_id: of.requestId, at: of.at, operation: of.operation, credential_id: of.credentialId },
      ...{ officer_reference: of.officerReference, outcome: of.outcome, position },
      municipality_code: of.municipalityCode,
    })}
    from json_each(${parameter(1)}) as one cross join ${from}
    where ${hasDigestIn(sql.raw('json_array(one.value)'))} and ${since(parameter(3))} and ${before(parameter(4))}
    limit ${literal(MAX_LOOKED_AT + 1)}
  )`;

const OPERATIONS = sql.raw(CHECK_OPERATIONS.map((operation) => `'${operation}'`).join(', '));

/**
 * Parameter 1: the plate's digests, the oldest key's first; 2: the municipality's code; 3 and 4: from when until when. One row
 * in any case.
 */
export const CHECKS = statement(
  () => sql`
with calls_of_plate as materialized (${sql.join([LOGGED_CALLS, PLATES_OF_CALLS].map(callsIn), sql` union all `)})
select checks.*, (select count(*) from calls_of_plate) as looked_at
from (select 1) left join (
  select *, count(*) over () as found from calls_of_plate
  where municipality_code = ${parameter(2)} and operation in (${OPERATIONS})
  order by at, request_id, position limit ${literal(MAX_LISTED)}
) as checks`,
);
