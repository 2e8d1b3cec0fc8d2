import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import {
  type CheckedMunicipality,
  type FactsQuery,
  plateFactsOf,
  plateFactsStatement,
} from '../../core/entitlement/facts.ts';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import type { Span } from '../../domain/interval.ts';
import type { Plate } from '../../domain/plate.ts';
import { MAX_READ_SUBSCRIPTIONS } from '../../domain/plate-bounds.ts';
import type { SourceImports } from '../../domain/source-freshness.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { type CallTable, LOGGED_CALLS, PLATES_OF_CALLS } from '../../storage/call-log/calls-parts.ts';
import { parkingSessions, payments } from '../../storage/db/schema/index.ts';
import { columns, type Json, json, literal, parsed, tableAs } from '../../storage/db/sql.ts';
import {
  batch,
  type Parameters,
  select,
  statement,
  type ValuesOf,
  value,
} from '../../storage/db/statement.ts';
import { knownSince, recordsKnown } from '../../storage/history/configuration-versions-table.ts';
import type { Change } from '../../storage/history/recorded.ts';
import {
  ofVersion,
  pastVersions,
  presentVersions,
  SESSION_VERSION_COLUMNS,
  type SessionVersionRow,
  sessionChanges,
  VERSION_ROWS,
} from '../../storage/history/session-versions-parts.ts';
import { importsKnown, type LastImportTuple } from '../../storage/history/source-imports-parts.ts';
import { subscriptionChanges } from '../../storage/history/subscription-changes.ts';
import {
  type SharedPageRow,
  type SpanRow,
  type SubscriptionsPage,
  sharedOfPage,
  spansOfPage,
} from '../../storage/history/subscription-versions-parts.ts';
import { CHECK_OPERATIONS, MAX_LISTED } from './contract.ts';
import type { RecordedConfiguration } from './recorded-configuration.ts';

const MUNICIPALITY_THEN = { municipalityId: value<number>(), knownAt: value<Instant>() };

/** The first record of a configuration, and further ones with the areas that did not fit. */
type RecordedParts = [RecordedConfiguration, ...Pick<RecordedConfiguration, 'areas'>[]] | [];

const payment = alias(payments, 'payment');

/** The most payments read for a plate. A driver makes some tens within the retention. */
const MAX_PAYMENTS = 1_000;
type PaymentTuple = [recordedAt: number, collectedAt: number];

/** The instants at which the plate's last payments were recorded and collected. */
const paymentsOf = (municipalityId: SQLWrapper, plate: SQLWrapper) => sql<Json<PaymentTuple[]>>`(
    select json_group_array(json_array(recorded_at, collected_at))
    from (
      select ${columns({ recorded_at: payment.recordedAt, collected_at: payment.collectedAt })}
      from ${tableAs(payments, payment, 'payments_by_plate')}
      where ${payment.municipalityId} = ${municipalityId}
        and ${payment.plate} = ${plate}
      order by ${payment.collectedAt} desc
      limit ${literal(MAX_PAYMENTS)}
    )
  )`;

/** One row: the configuration and the imports known at an instant, the start of known configurations, and the plate's payments. */
const MUNICIPALITY_KNOWN = statement(
  { ...MUNICIPALITY_THEN, plate: value<Plate>() },
  ({ municipalityId, knownAt, plate }) =>
    select(
      {
        records: sql<Json<RecordedParts>>`${recordsKnown(municipalityId, knownAt)}`,
        known_since: knownSince(municipalityId),
        imports: importsKnown(municipalityId, knownAt),
        payments: paymentsOf(municipalityId, plate),
      },
      sql``,
    ),
);

const own = alias(parkingSessions, 'own');

/** The most versions of a plate's sessions that are searched, of the present and of the past each, and that are read. */
export const MAX_VERSIONS = 10_000;

/** The number of versions searched, when the last past one was recorded, and a version, if there is one. */
type SessionVersionsRow = {
  readonly present: number;
  readonly past: number;
  readonly past_until: number | null;
  /** The source of most versions, if more are stored than are searched. */
  readonly most_from: string | null;
} & (SessionVersionRow | { readonly id: null });

const HELD = { ids: value<Json<readonly number[]>>(), plate: value<Plate>() };

/**
 * The versions of the plate's sessions that overlap a time, or were recorded or replaced in it, in the order of recording. An
 * open-ended version overlaps every later time.
 */
const SESSION_VERSIONS = statement(
  { ...HELD, from: value<number>(), until: value<number>() },
  ({ ids, plate, from, until }) => {
    const of = { ids, plate, max: literal(MAX_VERSIONS + 1) };
    const isWithin = (at: string) => sql`(${ofVersion(at)} >= ${from} and ${ofVersion(at)} < ${until})`;
    return sql<SessionVersionsRow>`
  with version as materialized (
    ${presentVersions(of)}
    union all
    select * from (${pastVersions(of, { at: literal(-1), id: literal(-1) })})
  )
  select looked_at.*, one.*
  from (
    select count(*) - count(replaced_at) as present,
      count(replaced_at) as past,
      max(recorded_at) filter (where replaced_at is not null) as past_until,
      iif(max(count(replaced_at), count(*) - count(replaced_at)) > ${literal(MAX_VERSIONS)}, (
        select ${own.sourceCode}
        from version
        cross join ${tableAs(parkingSessions, own)} on ${own.id} = version.id
        group by ${own.sourceCode}
        order by count(*) desc
        limit 1
      ), null) as most_from
    from version
  ) as looked_at
  left join (
    select ${SESSION_VERSION_COLUMNS}
    from ${VERSION_ROWS}
    where ${isWithin('recorded_at')}
      or ${isWithin('replaced_at')}
      or (${ofVersion('starts_at')} < ${until} and coalesce(${ofVersion('ends_at')}, ${until}) >= ${from})
    order by ${ofVersion('recorded_at')}, ${ofVersion('id')}
    limit ${literal(MAX_VERSIONS + 1)}
  ) as one
  order by one.recorded_at, one.id`;
  },
);

/** The most spans, subscriptions, their versions, and bytes that are read for a plate. */
const MAX_OF_SUBSCRIPTIONS = {
  spans: 10_000,
  subscriptions: MAX_READ_SUBSCRIPTIONS + 1,
  versions: 10_000,
  bytes: 8 * 1024 * 1024,
};

const allSubscriptions = ({ ids, plate }: Parameters<ValuesOf<typeof HELD>>): SubscriptionsPage => ({
  ids,
  plate,
  fromId: literal(0),
  fromAt: literal(0),
  max: {
    spans: literal(MAX_OF_SUBSCRIPTIONS.spans),
    subscriptions: literal(MAX_OF_SUBSCRIPTIONS.subscriptions),
    versions: literal(MAX_OF_SUBSCRIPTIONS.versions),
    bytes: literal(MAX_OF_SUBSCRIPTIONS.bytes),
  },
});

/** The history of the plate's subscriptions. */
const SPANS = statement(HELD, (held) => spansOfPage(allSubscriptions(held)));
const SHARED_VERSIONS = statement(HELD, (held) => sharedOfPage(allSubscriptions(held)));

export interface CheckRow {
  readonly request_id: string;
  readonly at: number;
  readonly operation: string;
  readonly credential_id: string | null;
  readonly officer_reference: string | null;
  readonly outcome: string;
}

/** The number of checks found and of calls searched, and a check, if there is one. */
type ChecksRow = { readonly looked_at: number } & (
  | (CheckRow & { readonly found: number })
  | { readonly found: null }
);

/**
 * The most calls about a plate that are searched, the oldest first. A vehicle is checked some tens of times in two days, and a
 * monitor that asks for evidence every minute makes some thousands of calls.
 */
export const MAX_LOOKED_AT = 10_000;

const OPERATIONS = sql.raw(CHECK_OPERATIONS.map((operation) => `'${operation}'`).join(', '));

/** The checks of a plate, and the number of calls about it: at least one row. */
const CHECKS = statement(
  {
    /** The plate's digests, the oldest key's first. */
    digests: value<Json<readonly string[]>>(),
    municipality: value<string>(),
    from: value<Instant>(),
    until: value<Instant>(),
  },
  ({ digests, municipality, from, until }) => {
    // By digest and instant, as in the index.
    const callsIn = ({
      from: calls,
      columns: of,
      position,
      hasDigestIn,
      since,
      before,
    }: CallTable): SQL => sql`
    select * from (
      select ${columns({
        ...{ request_id: of.requestId, at: of.at, operation: of.operation, credential_id: of.credentialId },
        ...{ officer_reference: of.officerReference, outcome: of.outcome, position },
        municipality_code: of.municipalityCode,
      })}
      from json_each(${digests}) as one
      cross join ${calls}
      where ${hasDigestIn(sql.raw('json_array(one.value)'))}
        and ${since(from)}
        and ${before(until)}
      limit ${literal(MAX_LOOKED_AT + 1)}
    )`;
    return sql<ChecksRow>`
  with calls_of_plate as materialized (
    select * from (
      ${callsIn(LOGGED_CALLS)}
      union all
      ${callsIn(PLATES_OF_CALLS)}
    )
    order by at, request_id, position
    limit ${literal(MAX_LOOKED_AT + 1)}
  )
  select checks.*, (select count(*) from calls_of_plate) as looked_at
  from (select 1)
  left join (
    select *, count(*) over () as found
    from calls_of_plate
    where municipality_code = ${municipality}
      and operation in (${OPERATIONS})
    order by at, request_id, position
    limit ${literal(MAX_LISTED)}
  ) as checks`;
  },
);

/** The versions of a plate around a time, as changes. */
export interface Versions {
  /** In the order of recording. */
  readonly changes: readonly Change[];
  /** Whether these are all. If not, all missing ones are newer. */
  readonly areWhole: boolean;
  /** If sessions are missing: the source of most. */
  readonly mostFrom: string | null;
}

/** The statements that read the versions of a plate around a time. */
const versionStatements = (
  db: D1Database,
  municipalityId: number,
  plate: Plate,
  { from, until }: { readonly [Bound in keyof Span]: Instant },
) => {
  const held = { ids: json([municipalityId]), plate };
  return [
    SESSION_VERSIONS.prepare(db, { ...held, from, until }),
    SPANS.prepare(db, held),
    SHARED_VERSIONS.prepare(db, held),
  ] as const;
};

/** The versions that these statements have read. */
function versionsOf(
  sessions: D1Result<SessionVersionsRow>,
  spans: D1Result<SpanRow>,
  shared: D1Result<SharedPageRow>,
): Versions {
  const until = readUntil(sessions.results);
  const mostFrom = sessions.results[0]?.most_from ?? null;
  const subscriptions = subscriptionChanges(
    spans.results,
    shared.results,
    { id: 0, at: 0 },
    MAX_OF_SUBSCRIPTIONS,
  );
  if (spans.results.length > MAX_OF_SUBSCRIPTIONS.spans || subscriptions.next !== null) {
    return { changes: [], areWhole: false, mostFrom };
  }
  const changes = [
    ...sessions.results.flatMap((row) => (row.id === null ? [] : sessionChanges(row))),
    ...subscriptions.changes.map(({ change }): Change => change),
  ].sort((one, other) => one.recordedAt - other.recordedAt);
  return until === null
    ? { changes, areWhole: true, mostFrom }
    : { changes: changes.filter(({ recordedAt }) => recordedAt < until), areWhole: false, mostFrom };
}

/** The instant until which all versions of the sessions were read; null if all were. */
function readUntil(rows: readonly SessionVersionsRow[]): number | null {
  const { present = 0, past = 0, past_until = null } = rows[0] ?? {};
  if (present > MAX_VERSIONS) {
    return 0;
  }
  const last = rows.at(-1);
  const isCut = rows.length > MAX_VERSIONS && last !== undefined && last.id !== null;
  const ends = [...(past > MAX_VERSIONS ? [past_until ?? 0] : []), ...(isCut ? [last.recorded_at] : [])];
  return ends.length === 0 ? null : Math.min(...ends);
}

/** The municipality of a search for evidence. */
export interface EvidenceMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly name: string;
  readonly timeZone: string;
}

type LastImport = Pick<SourceImports, 'lastOutcome' | 'lastSuccessfulAt'>;

/** A plate check's query at the judged instant, with the additions of evidence. */
interface EvidenceQuery extends FactsQuery {
  readonly knownAt: Instant;
  /** The plate's digests in the municipality, under every key. */
  readonly digests: readonly string[];
  /** The checks in this time are listed. */
  readonly window: { readonly [Bound in keyof Span]: Instant };
}

export interface EvidenceFacts {
  /** The facts of a plate check today. */
  readonly now: CheckedMunicipality;
  /** The facts by the rows known then and today's configuration. */
  readonly known: CheckedMunicipality;
  /** The history of the plate in the municipality around the instant, and whether it is complete. */
  readonly versions: Versions;
  /** When the plate's payments were collected, by the instants at which they were recorded. */
  readonly payments: ReadonlyMap<number, Instant>;
  /** The configuration known then; null before the first. */
  readonly configuration: RecordedConfiguration | null;
  readonly knownSince: Instant | null;
  /** By the source's code. */
  readonly imports: ReadonlyMap<string, LastImport>;
  readonly checks: Checks;
}

/** The checks of a plate. */
export interface Checks {
  /** The first of them. */
  readonly listed: readonly CheckRow[];
  readonly count: number;
  /** Whether all calls about the plate were searched. */
  readonly areWhole: boolean;
}

/** The municipality of a search. */
export const readPlace = municipalityReader({
  selection: () => ({ id: municipality.id, name: municipality.name, time_zone: municipality.timeZone }),
  factsOf: ({ id, name, time_zone: timeZone }) => ({ id, name, timeZone }),
});

/** The first key makes new digests. Those of later keys are older. */
const listOf = (digests: readonly string[]) => json(digests.toReversed());

function checksOf({ results }: D1Result<ChecksRow>): Checks {
  const [first] = results;
  return {
    listed: results.filter((row) => row.found !== null),
    count: first?.found ?? 0,
    areWhole: (first?.looked_at ?? 0) <= MAX_LOOKED_AT,
  };
}

/**
 * Reads all facts for evidence, as of one instant, in one round trip. Reads only rows of the plate and of the municipality.
 */
export async function readEvidence(
  db: D1Database,
  place: EvidenceMunicipality,
  query: EvidenceQuery,
): Promise<EvidenceFacts> {
  const { plate, knownAt, digests, window } = query;
  const [now, known, municipalities, checks, ...versions] = await batch(db, [
    plateFactsStatement(db, place.code, query),
    plateFactsStatement(db, place.code, query, knownAt),
    MUNICIPALITY_KNOWN.prepare(db, { municipalityId: place.id, knownAt, plate }),
    CHECKS.prepare(db, { digests: listOf(digests), municipality: place.code, ...window }),
    ...versionStatements(db, place.id, plate, window),
  ]);
  const [asKnown] = municipalities.results;
  return {
    now: found(plateFactsOf(now, query)),
    known: found(plateFactsOf(known, query)),
    versions: versionsOf(...versions),
    payments: new Map(
      asKnown === undefined
        ? []
        : parsed(asKnown.payments).map(([recordedAt, collectedAt]) => [recordedAt, instant(collectedAt)]),
    ),
    configuration: configurationOf(asKnown === undefined ? [] : parsed(asKnown.records)),
    knownSince: nullableInstant(asKnown?.known_since ?? null),
    imports: new Map((asKnown === undefined ? [] : parsed(asKnown.imports)).map(lastImportOf)),
    checks: checksOf(checks),
  };
}

/** The municipality was found a moment ago, and none is ever deleted. */
function found(facts: CheckedMunicipality | null): CheckedMunicipality {
  if (facts === null) throw new Error('the municipality of the evidence is gone');
  return facts;
}

function configurationOf(parts: RecordedParts): RecordedConfiguration | null {
  const [whole] = parts;
  return whole === undefined ? null : { ...whole, areas: parts.flatMap(({ areas }) => areas) };
}

const lastImportOf = ([code, lastOutcome, lastSuccessfulAt]: LastImportTuple): [string, LastImport] => [
  code,
  { lastOutcome, lastSuccessfulAt: nullableInstant(lastSuccessfulAt) },
];
