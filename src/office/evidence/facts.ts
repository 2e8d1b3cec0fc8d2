import { sql } from 'drizzle-orm';
import {
  type FactsQuery,
  type PlateFacts,
  plateFactsOf,
  plateFactsStatement,
} from '../../core/entitlement/facts.ts';
import { type Instant, instant, nullableInstant } from '../../domain/instant.ts';
import type { Span } from '../../domain/interval.ts';
import type { SourceImports } from '../../domain/source-freshness.ts';
import type { FoundMunicipality } from '../../serving/lookups/municipality-choice.ts';
import { municipality, municipalityReader } from '../../serving/lookups/municipality-table.ts';
import { json, parsed } from '../../storage/db/json.ts';
import { all, batch } from '../../storage/db/statement.ts';
import type { LastImportTuple } from '../../storage/history/source-imports-parts.ts';
import {
  CHECKS,
  type CheckRow,
  type ChecksRow,
  MAX_LOOKED_AT,
  MUNICIPALITY_KNOWN,
  type RecordedParts,
} from './facts-statements.ts';
import type { RecordedConfiguration } from './recorded-configuration.ts';
import { type Versions, versionStatements, versionsOf } from './versions-table.ts';

/** The municipality of a search for evidence. */
export interface EvidenceMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly name: string;
  readonly timeZone: string;
  /** The names of databases where it has lived before. */
  readonly livedIn: readonly string[];
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
  readonly now: PlateFacts;
  /** The facts by the rows known then and today's configuration. */
  readonly known: PlateFacts;
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

/** The municipalities of a search. */
export const readPlaces = municipalityReader({
  selection: () => ({
    id: sql<number | null>`${municipality.id}`,
    name: sql<string | null>`${municipality.name}`,
    time_zone: sql<string | null>`${municipality.timeZone}`,
    lived_in: sql<string | null>`${municipality.livedIn}`,
  }),
  factsOf: (row) => ({
    // Not null if the row has a municipality.
    id: row.id ?? 0,
    name: row.name ?? '',
    timeZone: row.time_zone ?? '',
    livedIn: JSON.parse(row.lived_in ?? '[]') as string[],
  }),
});

/** The plate's checks logged in a database where the municipality lived before. */
export async function readChecksBefore(
  db: D1Database,
  { code }: EvidenceMunicipality,
  { digests, window }: EvidenceQuery,
): Promise<Checks> {
  return checksOf(await all(CHECKS.prepare(db, { digests: listOf(digests), municipality: code, ...window })));
}

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
  db: D1DatabaseSession,
  place: EvidenceMunicipality,
  query: EvidenceQuery,
): Promise<EvidenceFacts> {
  const { plate, knownAt, digests, window } = query;
  const [now, known, municipalities, checks, ...versions] = await batch(db, [
    plateFactsStatement(db, { by: 'code', code: place.code }, query),
    plateFactsStatement(db, { by: 'code', code: place.code }, query, knownAt),
    MUNICIPALITY_KNOWN.prepare(db, { municipalityId: place.id, knownAt, plate }),
    CHECKS.prepare(db, { digests: listOf(digests), municipality: place.code, ...window }),
    ...versionStatements(db, place.id, plate, window),
  ]);
  const [asKnown] = municipalities.results;
  return {
    now: plateFactsOf(now, query),
    known: plateFactsOf(known, query),
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

function configurationOf(parts: RecordedParts): RecordedConfiguration | null {
  const [whole] = parts;
  return whole === undefined ? null : { ...whole, areas: parts.flatMap(({ areas }) => areas) };
}

const lastImportOf = ([code, lastOutcome, lastSuccessfulAt]: LastImportTuple): [string, LastImport] => [
  code,
  { lastOutcome, lastSuccessfulAt: nullableInstant(lastSuccessfulAt) },
];
