import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { Refusal, refuse } from '../../base/errors/refusal.ts';
import { sourceOfMost, UnreadError } from '../../base/errors/unread.ts';
import { lookbackOf, retentionDays } from '../../base/platform/retention-days.ts';
import type { Text } from '../../base/text/text.ts';
import type { Area, CheckedMunicipality, FactsQuery } from '../../core/entitlement/facts.ts';
import { areaRefusal, type Judgement, judgePlate } from '../../core/entitlement/judge.ts';
import { checkInstant, knownInstant } from '../../domain/check-instant.ts';
import type { AccessEvent } from '../../domain/facility-access.ts';
import { DAY_MS, type Instant, instant } from '../../domain/instant.ts';
import { SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { Env } from '../../env.ts';
import type { WholeMunicipality } from '../../storage/configuration/kinds.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import { type PlateVersion, sessionVersions, type VersionRows, versionsOf } from '../history/versions.ts';
import { MAX_VERSIONS } from '../history/versions-table.ts';
import { historyOf } from './around.ts';
import type { EvidenceRequest } from './contract.ts';
import { type EvidenceFacts, type EvidenceMunicipality, readEvidence } from './facts.ts';
import { knownThen } from './known-then.ts';

/** Messages that differ from a plate check's: fields have other names, and inactive areas are accepted. */
const TEXTS: Partial<Record<ErrorCode, Text>> = {
  CHECKED_AT_IN_FUTURE: { en: 'at: the instant is in the future.', it: "at: l'istante è nel futuro." },
  CHECKED_AT_OUT_OF_RANGE: {
    en: 'at: the instant is further back than what is kept, or after the year 9999.',
    it: "at: l'istante è più indietro di quanto viene conservato, oppure oltre l'anno 9999.",
  },
  AREA_NOT_FOUND: {
    en: 'area_code: no area with this code was ever configured in the municipality.',
    it: 'area_code: nel comune non è mai stata configurata un’area con questo codice.',
  },
  FACILITY_REQUIRED: {
    en: 'area_code: an entry or exit needs a facility, and no area with this code was ever configured in the municipality.',
    it: 'area_code: un ingresso o un’uscita richiede un parcheggio, e nel comune non è mai stata configurata un’area con questo codice.',
  },
};

/** The refusal of a search, with its own field names. */
function refusalOf(code: ErrorCode): Refusal {
  const message = TEXTS[code];
  return new Refusal(code, message === undefined ? {} : { message });
}

/**
 * The refusal of a `known_at` beyond a bound.
 *
 * @param bound in the municipality's time zone
 */
function knownAtRefusal(passed: 'now' | 'known_since' | 'kept_since', bound: string): Refusal {
  const texts: Record<typeof passed, Text> = {
    now: {
      en: `known_at: the instant is in the future: it must not be later than now, ${bound}.`,
      it: `known_at: l’istante è nel futuro: non deve essere dopo adesso, ${bound}.`,
    },
    known_since: {
      en: `known_at: the instant is before the service’s first record of this municipality, ${bound}.`,
      it: `known_at: l’istante precede i primi dati registrati di questo comune, ${bound}.`,
    },
    kept_since: {
      en: `known_at: the instant is further back than what is kept, which begins at ${bound}.`,
      it: `known_at: l’istante è più indietro di quanto viene conservato, a partire dal ${bound}.`,
    },
  };
  return new Refusal('KNOWN_AT_OUT_OF_RANGE', { message: texts[passed] });
}

/** The data about a plate as known then, and as known today. */
export interface Evidence {
  readonly plate: Plate;
  readonly place: EvidenceMunicipality;
  /** As it is today; null if none was requested. */
  readonly area: Area | null;
  readonly event: AccessEvent;
  readonly at: Instant;
  readonly knownAt: Instant;
  readonly knownSince: Instant;
  /** The start of the call log. */
  readonly checksSince: Instant;
  readonly asKnownThen: Judgement;
  readonly asKnownNow: Judgement;
  /** As known then. */
  readonly configuration: WholeMunicipality;
  readonly facts: EvidenceFacts;
  /** The versions about the 24 hours before and after the instant, or recorded or replaced within them. */
  readonly history: readonly PlateVersion[];
}

/** The plate and the instant that an objection is about. */
interface Subject {
  readonly plate: Plate;
  readonly at: Instant;
}

/**
 * Validates the fields.
 *
 * @throws Refusal in the order of the error table
 */
export function requestedSubject(request: EvidenceRequest, env: Env, now: Instant): Subject {
  const plate = normalizePlate(request.plate) ?? refuse('INVALID_PLATE');
  const checked = checkInstant(request.at, now, lookbackOf(env, null));
  if ('refused' in checked) refuse(refusalOf(checked.refused));
  if (request.area_code === undefined && request.event !== 'verify') refuse('AREA_CODE_REQUIRED');
  return { plate, at: checked.at };
}

/**
 * Finds the evidence for an objection, in one round trip to the primary database.
 *
 * @throws Refusal of the request, in the order of the error table
 * @throws UnreadError if the answer would depend on more rows than are read
 * @throws Error without a usable `DIGEST_KEY`, which finds the plate's checks
 */
export async function findEvidence(
  env: Env,
  place: EvidenceMunicipality,
  { plate, at }: Subject,
  { area_code, event, known_at }: EvidenceRequest,
  now: Instant,
): Promise<Evidence> {
  const areaCode = area_code ?? null;
  const window = { from: instant(at - SESSION_WINDOW_MS), until: instant(at + SESSION_WINDOW_MS) };
  const digests = await plateDigests(requireDigestKeys(env), place.code, plate);
  // An instant slightly ahead, by a wrong clock, counts as now; a later one is refused below.
  const asked = instant(Math.min(known_at ?? at, now));
  const query = { plate, areaCode, at, knownAt: asked, digests, window };
  const facts = await readEvidence(env.DB, place, query);
  const { configuration, knownSince, versions } = facts;
  if (knownSince === null) throw new Error(`no version of the configuration of ${place.code} is stored`);
  const known = knownInstant(known_at ?? null, at, now, knownSince, lookbackOf(env, null));
  if ('passed' in known) {
    refuse(knownAtRefusal(known.passed, formatInstant(known.bound, place.timeZone)));
  }
  if (configuration === null) refuse('KNOWN_AT_OUT_OF_RANGE');
  const { area } = facts.now;
  // Inactive areas are accepted: only one that was never configured is refused.
  const refused = area === null ? areaRefusal(null, areaCode, event) : null;
  if (refused !== null) refuse(refusalOf(refused));
  requireWhole(versions, place.code);
  const openSessionMaxHours = new Map(
    configuration.sources.map((source) => [source.code, source.open_session_max_hours]),
  );
  const callLogSince = now - retentionDays(env).callLog * DAY_MS;
  const then = knownThen(place, versions, configuration, query, known.at);
  return {
    ...{ plate, place, area, event, at, knownAt: known.at, knownSince, configuration, facts },
    checksSince: instant(Math.max(knownSince, place.restoredAt, callLogSince)),
    asKnownThen: judgeRecorded(then, query, event),
    asKnownNow: judgeRecorded(facts.now, query, event),
    history: historyOf(versionsOf(versions), { window, areaCode, openSessionMaxHours }),
  };
}

/** @throws UnreadError for a plate with more versions than are read */
function requireWhole(versions: VersionRows, code: string): void {
  const count = versions.reduce((sum, rows) => sum + rows.length, 0);
  if (count > MAX_VERSIONS) throw new UnreadError(code, ['history'], sourceOfMost(sessionVersions(versions)));
}

/** The plate check's own judge, after the refusals of the municipality. */
function judgeRecorded(municipality: CheckedMunicipality, query: FactsQuery, event: AccessEvent): Judgement {
  if (!municipality.tenantActive) return { refused: 'TENANT_DISABLED' };
  if (!municipality.active) return { refused: 'MUNICIPALITY_NOT_ALLOWED' };
  return judgePlate(municipality, query, event, 'v2');
}
