import { CHECK, checkedOf, checkValues, type FactsQuery } from '../../core/entitlement/facts.ts';
import type { Instant } from '../../domain/instant.ts';
import { sourceFreshness } from '../../domain/source-freshness.ts';
import type { WholeMunicipality } from '../../storage/configuration/kinds.ts';
import { configurationOf, KNOWN_SINCE, VERSION_AT } from '../../storage/configuration/versions-table.ts';
import { type ResultsOf, read } from '../../storage/db/batch.ts';
import { PLATE_VERSIONS } from '../history/versions-table.ts';
import { CHECKS, ERASED, IMPORTS, type PLACE } from './facts-table.ts';

/** The municipality of a search for evidence. Its `restoredAt`: no call before it is in the log. */
export type EvidenceMunicipality = ResultsOf<readonly [typeof PLACE]>[0][number];

/** A plate check's query at the judged instant, with what evidence asks besides. */
interface EvidenceQuery extends FactsQuery {
  readonly knownAt: Instant;
  /** The plate's digests in the municipality, under every key. */
  readonly digests: readonly string[];
}

/** Reads all facts for evidence in one round trip: only rows of the plate and of the municipality. */
export async function readEvidence(d1: D1Database, place: EvidenceMunicipality, query: EvidenceQuery) {
  const [places, sessions, titles, known, since, erased, imports, checks, ...versions] = await read(
    d1,
    [...CHECK, ...([VERSION_AT, KNOWN_SINCE, ERASED, IMPORTS, CHECKS] as const), ...PLATE_VERSIONS],
    {
      ...checkValues(place.code, query),
      ...{ municipalityId: place.id, plate: query.plate, at: query.knownAt },
      digests: JSON.stringify(query.digests),
    },
  );
  const now = checkedOf([places, sessions, titles], query);
  const knownSince = since[0]?.knownSince ?? null;
  // It was found a moment ago, and none is ever deleted.
  if (now === null || knownSince === null) throw new Error(`the records of ${place.code} are gone`);
  return {
    /** The facts of a plate check today. */
    now,
    /** All versions of the plate. */
    versions,
    /** The configuration known then; null before the first. */
    configuration: known[0] === undefined ? null : configurationOf(known[0].record),
    knownSince,
    erasedAt: erased[0]?.erasedAt ?? null,
    /** The kept imports on either side of the instant of knowledge, by the source's code. */
    imports: new Map(imports.map((row) => [row.sourceCode, row])),
    checks,
  };
}

export type EvidenceFacts = Awaited<ReturnType<typeof readEvidence>>;

/**
 * How fresh a source was at an instant, and its last success where that is known. Of consecutive successes only those are kept that
 * ended a silence: before the next kept import, the last success is the one that it names.
 */
export function freshnessThen(
  { is_system, stale_after_minutes, code }: WholeMunicipality['sources'][number],
  { imports }: EvidenceFacts,
  at: Instant,
) {
  const kept = imports.get(code);
  const lastOutcome = kept?.lastOutcome ?? null;
  const isByNext = lastOutcome !== 'failed' && (kept?.nextRecordedAt ?? null) !== null;
  const lastSuccessfulAt = (isByNext ? kept?.succeededBeforeNext : kept?.lastSucceededAt) ?? null;
  const status = sourceFreshness(
    {
      ...{ isSystem: is_system, staleAfterMinutes: stale_after_minutes },
      ...{ lastOutcome, lastSuccessfulAt },
    },
    at,
  );
  const isUnknown = status === 'fresh' || status === 'native';
  return { status, lastSuccessfulAt: isUnknown ? null : lastSuccessfulAt };
}
