import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { ImportOutcome } from '../../domain/source-freshness.ts';
import { type CallTable, LOGGED_CALLS, PLATES_OF_CALLS } from '../../storage/call-log/calls-parts.ts';
import {
  configurationVersions,
  parkingSessions,
  pastSourceImports,
  sourceImports,
  sources,
} from '../../storage/db/schema/index.ts';
import {
  columns,
  literal,
  parameter,
  primaryKeyOf,
  type RowOf,
  statement,
  tableAs,
} from '../../storage/db/sql.ts';
import {
  ofVersion,
  pastVersions,
  presentVersions,
  SESSION_VERSION_COLUMNS,
  type SessionVersionRow,
  VERSION_ROWS,
} from '../../storage/history/session-versions-parts.ts';
import {
  type SubscriptionsPage,
  sharedOfPage,
  spansOfPage,
} from '../../storage/history/subscription-versions-parts.ts';
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
left join ${tableAs(pastSourceImports, pastImport, primaryKeyOf(pastSourceImports))} on ${pastImport.sourceId} = ${source.id}
  and ${pastImport.recordedAt} <= ${parameter(2)} and ${pastImport.replacedAt} > ${parameter(2)}
where ${source.municipalityId} = ${parameter(1)}`,
);

const own = alias(parkingSessions, 'own');

/** The most versions of sessions that are looked at of a plate, of today and of the past each, and that are read. */
export const MAX_VERSIONS = 10_000;

/** How many versions were looked at, when the last past one was recorded, and a version, where there is one. */
export type SessionVersionsRow = {
  readonly present: number;
  readonly past: number;
  readonly past_until: number | null;
  /** Where most of them come from, where more are stored than are looked at. */
  readonly most_from: string | null;
} & (SessionVersionRow | { readonly id: null });

/**
 * Parameter 1: ids of municipalities, a JSON list; 2: the plate; 3 and 4: a time. The versions of the plate's sessions that touch it,
 * or were recorded or replaced in it, in the order of recording. An open-ended one touches every later time.
 */
export const SESSION_VERSIONS = statement(() => {
  const [from, until] = [parameter(3), parameter(4)];
  const of = { ids: parameter(1), plate: parameter(2), max: literal(MAX_VERSIONS + 1) };
  const isWithin = (at: string) => sql`(${ofVersion(at)} >= ${from} and ${ofVersion(at)} < ${until})`;
  return sql`
with version as materialized (
  ${presentVersions(of)} union all select * from (${pastVersions(of, { at: literal(-1), id: literal(-1) })})
)
select looked_at.*, one.* from (
  select count(*) - count(replaced_at) as present, count(replaced_at) as past,
    max(recorded_at) filter (where replaced_at is not null) as past_until,
    iif(max(count(replaced_at), count(*) - count(replaced_at)) > ${literal(MAX_VERSIONS)}, (
      select ${own.sourceCode} from version cross join ${tableAs(parkingSessions, own)} on ${own.id} = version.id
      group by ${own.sourceCode} order by count(*) desc limit 1
    ), null) as most_from
  from version
) as looked_at left join (
  select ${SESSION_VERSION_COLUMNS} from ${VERSION_ROWS}
  where ${isWithin('recorded_at')} or ${isWithin('replaced_at')}
    or (${ofVersion('starts_at')} < ${until} and coalesce(${ofVersion('ends_at')}, ${until}) >= ${from})
  order by ${ofVersion('recorded_at')}, ${ofVersion('id')} limit ${literal(MAX_VERSIONS + 1)}
) as one order by one.recorded_at, one.id`;
});

/** The most spans, subscriptions and versions of these, and bytes, that are read of a plate. */
export const MAX_OF_SUBSCRIPTIONS = {
  spans: 10_000,
  subscriptions: MAX_READ_SUBSCRIPTIONS + 1,
  versions: 10_000,
  bytes: 8 * 1024 * 1024,
};

const ALL_SUBSCRIPTIONS: SubscriptionsPage = {
  ids: parameter(1),
  plate: parameter(2),
  fromId: literal(0),
  fromAt: literal(0),
  max: {
    spans: literal(MAX_OF_SUBSCRIPTIONS.spans),
    subscriptions: literal(MAX_OF_SUBSCRIPTIONS.subscriptions),
    versions: literal(MAX_OF_SUBSCRIPTIONS.versions),
    bytes: literal(MAX_OF_SUBSCRIPTIONS.bytes),
  },
};

/** Parameters 1 and 2 as above. What became of the plate's subscriptions. */
export const SPANS = statement(() => spansOfPage(ALL_SUBSCRIPTIONS));
export const SHARED_VERSIONS = statement(() => sharedOfPage(ALL_SUBSCRIPTIONS));

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
