import {
  CHECK,
  type CheckedMunicipality,
  checkedOf,
  checkValues,
  type FactsQuery,
} from '../../core/entitlement/facts.ts';
import type { Instant } from '../../domain/instant.ts';
import { type FreshnessStatus, sourceFreshness } from '../../domain/source-freshness.ts';
import type { FoundMunicipality } from '../../serving/lookups/granted-municipality.ts';
import type { WholeMunicipality } from '../../storage/configuration/kinds.ts';
import { configurationOf, KNOWN_SINCE, VERSION_AT } from '../../storage/configuration/versions-table.ts';
import { type ResultsOf, read } from '../../storage/db/batch.ts';
import type { VersionRows } from '../history/versions.ts';
import { PLATE_VERSIONS } from '../history/versions-table.ts';
import { CHECKS, ERASED, LAST_IMPORTS, NEXT_IMPORTS, PLACE, SIGHTINGS } from './facts-table.ts';

/** The municipality of a search for evidence. */
export interface EvidenceMunicipality extends FoundMunicipality {
  readonly id: number;
  readonly name: string;
  readonly timeZone: string;
  /** No call before it is in the log: it was restored since. */
  readonly restoredAt: Instant;
}

export async function readPlace(d1: D1Database, code: string): Promise<EvidenceMunicipality | null> {
  const [[place]] = await read(d1, [PLACE], { code });
  return place ?? null;
}

/** A plate check's query at the judged instant, with what evidence asks besides. */
interface EvidenceQuery extends FactsQuery {
  readonly knownAt: Instant;
  /** The plate's digests in the municipality, under every key. */
  readonly digests: readonly string[];
  /** The time of the listed checks. */
  readonly window: { readonly from: Instant; readonly until: Instant };
}

type ImportRow = ResultsOf<readonly [typeof LAST_IMPORTS]>[0][number];
export type CheckRow = ResultsOf<readonly [typeof CHECKS]>[0][number];

export interface EvidenceFacts {
  /** The facts of a plate check today. */
  readonly now: CheckedMunicipality;
  /** All versions of the plate. */
  readonly versions: VersionRows;
  /** The configuration known then; null before the first. */
  readonly configuration: WholeMunicipality | null;
  readonly knownSince: Instant | null;
  readonly erasedAt: Instant | null;
  /** The kept imports on either side of the instant of knowledge, by the source's code. */
  readonly lastImports: ReadonlyMap<string, ImportRow>;
  readonly nextImports: ReadonlyMap<string, ImportRow>;
  /** The checks of the plate, oldest first. */
  readonly checks: readonly CheckRow[];
}

/** Reads all facts for evidence in one round trip: only rows of the plate and of the municipality. */
export async function readEvidence(
  d1: D1Database,
  place: EvidenceMunicipality,
  query: EvidenceQuery,
): Promise<EvidenceFacts> {
  const [places, sessions, titles, versions, since, erased, last, next, checks, sightings, ...past] =
    await read(
      d1,
      [
        ...CHECK,
        ...([VERSION_AT, KNOWN_SINCE, ERASED, LAST_IMPORTS, NEXT_IMPORTS, CHECKS, SIGHTINGS] as const),
        ...PLATE_VERSIONS,
      ],
      {
        ...checkValues(place.code, query),
        ...{ municipalityId: place.id, plate: query.plate, at: query.knownAt },
        digests: JSON.stringify(query.digests),
        ...{ fromId: firstIdAt(query.window.from), untilId: firstIdAt(query.window.until) },
      },
    );
  const now = checkedOf([places, sessions, titles], query);
  // It was found a moment ago, and none is ever deleted.
  if (now === null) throw new Error('the municipality of the evidence is gone');
  const [version] = versions;
  return {
    now,
    versions: past,
    configuration: version === undefined ? null : configurationOf(version.record),
    knownSince: since[0]?.knownSince ?? null,
    erasedAt: erased[0]?.erasedAt ?? null,
    lastImports: new Map(last.map((row) => [row.sourceCode, row])),
    nextImports: new Map(next.map((row) => [row.sourceCode, row])),
    // Ids begin with the instant. The sort is stable: the plates of one call stay in their order.
    checks: [...checks, ...sightings].sort(
      (a, b) => Number(a.requestId > b.requestId) - Number(a.requestId < b.requestId),
    ),
  };
}

/** The first id of calls at an instant. */
const firstIdAt = (at: Instant): Uint8Array =>
  Uint8Array.fromHex(Math.max(at, 0).toString(16).padStart(12, '0'));

/** How fresh a source was, and its last success where that is known. */
interface SourceThen {
  readonly status: FreshnessStatus;
  readonly lastSuccessfulAt: Instant | null;
}

/**
 * A source's freshness at an instant. Of consecutive successes only those are kept that ended a silence: before the next kept import,
 * the last success is the one that it names.
 */
export function freshnessThen(
  { is_system, stale_after_minutes, code }: WholeMunicipality['sources'][number],
  { lastImports, nextImports }: EvidenceFacts,
  at: Instant,
): SourceThen {
  const last = lastImports.get(code);
  const next = nextImports.get(code);
  const isFailed = last?.outcome === 'failed';
  const lastSuccessfulAt =
    (next !== undefined && !isFailed ? next.succeededBefore : last?.succeededAt) ?? null;
  const status = sourceFreshness(
    {
      ...{ isSystem: is_system, staleAfterMinutes: stale_after_minutes },
      ...{ lastOutcome: last?.outcome ?? null, lastSuccessfulAt },
    },
    at,
  );
  const isUnknown = status === 'fresh' || status === 'native';
  return { status, lastSuccessfulAt: isUnknown ? null : lastSuccessfulAt };
}
