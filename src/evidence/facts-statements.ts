import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { type CallTable, LOGGED_CALLS, PLATES_OF_CALLS } from '../call-log/calls-parts.ts';
import { isAboutOwnPlate, isConfiguration, newestFirst, SESSION_HISTORY } from '../db/journal-sql.ts';
import { journal, parkingSessions, sources } from '../db/schema/index.ts';
import { columns, literal, parameter, type RowOf, statement, tableAs, tableByIndex } from '../db/sql.ts';
import {
  type ChangeRow,
  change,
  type FirstVersionRow,
  firstVersionInJournal,
  firstVersionInSession,
  selectChanges,
} from '../history/history-table.ts';
import { type JournalRow, recordBytes } from '../history/shared-rows-parts.ts';
import { CHECK_OPERATIONS, MAX_LISTED } from './contract.ts';

/** The most rows of the journal that are read of a plate, and the most bytes of their records. A van that parks ten times a day has some thousands. */
export const MAX_READ_CHANGES = 10_000;
export const MAX_READ_CHANGES_BYTES = 8 * 1024 * 1024;

const naming = alias(journal, 'naming');
const ownRow = alias(journal, 'own_row');
const session = alias(parkingSessions, 'session');
export interface RecordedRow extends ChangeRow {
  /** How many rows there are, one more than are read where there are more. */
  readonly found: number;
  /** 1: the plate has more sessions, or they more rows, than are looked at, so that those that were read are any of them. */
  readonly is_cut: number;
}

const MAX_BYTES = literal(MAX_READ_CHANGES_BYTES);
/** What is read where there is no answer in any case: enough to see whose the rows are. */
const BYTES_OF_A_FAILURE = literal(16 * 1024);
const MAX_CHANGES = literal(MAX_READ_CHANGES);
const ONE_MORE = literal(MAX_READ_CHANGES + 1);

const ENTRY = (row: JournalRow & Readonly<Record<'recordedAt', SQLWrapper>>): SQL =>
  sql`${row.sequence} as sequence, ${row.recordedAt} as recorded_at, ${recordBytes(row)} as bytes`;

const OWN = {
  municipalityId: parameter(1),
  sourceCode: sql.raw('own.source_code'),
  sessionId: sql.raw('own.session_id'),
};
const IS_CUT = sql`max((select count(*) from own), (select count(*) from own_rows)) > ${MAX_CHANGES}`;
/** The sessions that have the plate, and the rows that are about it for that. */
const OWN_ROWS = sql`own as materialized (
    select ${session.sourceCode} as source_code, ${session.sessionId} as session_id
    from ${tableAs(parkingSessions, session, 'parking_sessions_by_plate')}
    where ${session.municipalityId} = ${parameter(1)} and ${session.plate} = ${parameter(2)} limit ${ONE_MORE}
  ), own_rows as materialized (
    select ${ENTRY(ownRow)} from own cross join ${tableAs(journal, ownRow, SESSION_HISTORY)} on ${isAboutOwnPlate(ownRow, OWN)} limit ${ONE_MORE}
  )`;

/**
 * Parameter 1: the municipality; 2: the plate; 3: an instant. What is recorded of it, in the order of the journal, as far as
 * is read. A record's length is in its row: one that is too much is not read. Where more was known at the instant
 * than is read, nothing depends on it, and hardly any is.
 */
export const CHANGES = statement(
  () => sql`${selectChanges(
    { found: sql`page.found`, is_cut: sql`page.is_cut` },
    sql`(
      with ${OWN_ROWS}
      select sequence, found, ${IS_CUT} as is_cut from (
        select *, ${IS_CUT} or ((found > ${MAX_CHANGES} or max(bytes_before) over () >= ${MAX_BYTES})
          and max(recorded_at) filter (where bytes_before < ${MAX_BYTES}) over () <= ${parameter(3)}) as is_unknown
        from (
          select sequence, recorded_at, count(*) over () as found, sum(bytes) over (order by sequence) - bytes as bytes_before from (
            select ${ENTRY(naming)} from ${tableAs(journal, naming, 'journal_by_plate')}
            where ${naming.municipalityId} = ${parameter(1)} and ${naming.plate} = ${parameter(2)}
            union all select * from own_rows
            order by sequence limit ${ONE_MORE}
          )
        )
      ) where bytes_before < iif(is_unknown, ${BYTES_OF_A_FAILURE}, ${MAX_BYTES})
    ) as page cross join ${tableAs(journal, change)} on ${change.sequence} = page.sequence`,
  )}
order by page.sequence`,
);

const firstChange = alias(journal, 'first_change');
/** Of a session either it or one of its rows says that: both are looked at in one pass. */
const inSession = firstVersionInSession(session);
const inJournal = firstVersionInJournal(firstChange);
const ofOwn = Object.fromEntries(
  Object.entries(inSession).map(([name, value]) => [
    name,
    sql`iif(${session.knownAt} is null, ${inJournal[name as keyof typeof inJournal]}, ${value})`,
  ]),
);

/**
 * 1: the municipality; 2: the plate. How its sessions were stored first, where no row of the journal is about that alone, in
 * any order.
 */
export const FIRST_VERSIONS = statement(
  () => sql`select * from (
  select ${columns(ofOwn)} from (
    select * from ${tableByIndex(parkingSessions, 'parking_sessions_by_plate')}
    where ${parkingSessions.municipalityId} = ${parameter(1)} and ${parkingSessions.plate} = ${parameter(2)} limit ${ONE_MORE}
  ) as session left join ${tableAs(journal, firstChange, SESSION_HISTORY)}
    on ${session.knownAt} is null and ${isAboutOwnPlate(firstChange, session)} and ${firstChange.firstAt} is not null
  where ${session.knownAt} is not null or ${firstChange.firstAt} is not null limit ${ONE_MORE}
)
union all select * from (
  select ${columns(inJournal)} from ${tableAs(journal, firstChange, 'journal_first_versions')}
  where ${firstChange.municipalityId} = ${parameter(1)} and ${firstChange.plate} = ${parameter(2)} and ${firstChange.firstAt} is not null limit ${ONE_MORE}
)`,
);
export type { FirstVersionRow };

const recorded = alias(journal, 'recorded');

const configurationRows = sql`from ${tableAs(journal, recorded)}
  where ${recorded.municipalityId} = ${parameter(1)} and ${isConfiguration(recorded)}`;

const part = alias(journal, 'part');

const CONFIGURATION = {
  // Of a very large municipality, areas that have no room in its row are in the rows right behind it.
  records: sql<string>`(select json_group_array(json(${part.record}) order by ${part.sequence}) from (
      select ${recorded.sequence} as first, ${recorded.record} ->> '$.further_rows' as further ${configurationRows}
      and ${recorded.recordedAt} <= ${parameter(2)} ${newestFirst(recorded)} limit 1
    ) cross join ${tableAs(journal, part)}
    on ${part.sequence} between first and first + coalesce(further, 0))`,
  known_since: sql<
    number | null
  >`(select ${recorded.recordedAt} ${configurationRows} order by ${recorded.recordedAt} limit 1)`,
} as const;
export type ConfigurationRow = RowOf<typeof CONFIGURATION>;

/** Parameter 1: the municipality; 2: an instant. The configuration that was known then, and since when one is known. */
export const CONFIGURATION_KNOWN = statement(() => sql`select ${columns(CONFIGURATION)}`);

const source = alias(sources, 'source');

const LAST_IMPORT = {
  code: source.code,
  // The newest import of a source says how fresh its source was after it.
  record: sql<string | null>`(select ${recorded.record} from ${tableAs(journal, recorded)}
    where ${recorded.municipalityId} = ${source.municipalityId} and ${recorded.kind} = 'import' and ${recorded.sourceCode} = ${source.code}
    and ${recorded.key} is null and ${recorded.recordedAt} <= ${parameter(2)} ${newestFirst(recorded)} limit 1)`,
} as const;
export type LastImportRow = RowOf<typeof LAST_IMPORT>;

/** Parameter 1: the municipality; 2: an instant. The last import of each source that was recorded by then. */
export const LAST_IMPORTS_KNOWN = statement(
  () =>
    sql`select ${columns(LAST_IMPORT)} from ${tableAs(sources, source)} where ${source.municipalityId} = ${parameter(1)}`,
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
