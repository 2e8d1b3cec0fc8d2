import type { ErrorCode } from '../../base/errors/error-codes.ts';
import { Refusal, refuse } from '../../base/errors/refusal.ts';
import { UnreadError } from '../../base/errors/unread.ts';
import { lookbackOf, retentionDays } from '../../base/platform/retention-days.ts';
import type { Text } from '../../base/text/text.ts';
import type { Area, CheckedMunicipality, FactsQuery } from '../../core/entitlement/facts.ts';
import { areaRefusal, type Judgement, judgePlate } from '../../core/entitlement/judge.ts';
import { authorizationOf } from '../../core/entitlement/plate-subscriptions-table.ts';
import { checkInstant, knownInstant } from '../../domain/check-instant.ts';
import type { AccessEvent } from '../../domain/facility-access.ts';
import { DAY_MS, type Instant, instant, nullableInstant, SECOND_MS } from '../../domain/instant.ts';
import { contains, overlaps, type Span } from '../../domain/interval.ts';
import { effectiveEnd, SESSION_WINDOW_MS } from '../../domain/parking-session.ts';
import { normalizePlate, type Plate } from '../../domain/plate.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { Env } from '../../env.ts';
import {
  type Change,
  type RecordedSession,
  type RecordedSubscription,
  subjectOf,
} from '../../storage/history/recorded.ts';
import { plateDigests, requireDigestKeys } from '../../storage/plate-digest/plate-digest.ts';
import type { EvidenceRequest } from './contract.ts';
import {
  type Checks,
  type EvidenceFacts,
  type EvidenceMunicipality,
  readEvidence,
  type Versions,
} from './facts.ts';
import { type RecordedConfiguration, withConfiguration } from './recorded-configuration.ts';

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

/**
 * Requires that a history has all versions, or as many as are counted.
 *
 * @param code the municipality's code
 * @throws UnreadError
 */
function requireWholeHistory(
  history: readonly Change[],
  { areWhole, mostFrom }: Versions,
  code: string,
): void {
  if (!areWhole && history.length < MAX_COUNTED) {
    throw new UnreadError(code, ['history'], mostFrom);
  }
}

/**
 * Adds the source to the error of a verdict that cannot name the source of its missing data.
 *
 * @param mostFrom the source of most data about the plate
 * @throws UnreadError
 */
function namingSource(mostFrom: string | null, judge: () => Judgement): Judgement {
  try {
    return judge();
  } catch (error) {
    const isNameless = error instanceof UnreadError && error.source === null;
    throw isNameless ? new UnreadError(error.municipality, error.unread, mostFrom) : error;
  }
}

/**
 * Requires that all checks were searched, or as many as are counted.
 *
 * @throws UnreadError
 */
function requireWholeChecks({ areWhole, count }: Checks, code: string): void {
  if (!areWhole && count < MAX_COUNTED) {
    throw new UnreadError(code, ['checks']);
  }
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
  readonly configuration: RecordedConfiguration;
  readonly facts: EvidenceFacts;
  /** Changes about the 24 hours before and after the instant, or recorded within them. */
  readonly history: readonly Change[];
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
  const plate = normalizePlate(request.plate);
  if (plate === null) {
    refuse('INVALID_PLATE');
  }
  const checked = checkInstant(request.at, now, lookbackOf(env, null));
  if ('refused' in checked) {
    refuse(refusalOf(checked.refused));
  }
  if (request.area_code === undefined && request.event !== 'verify') {
    refuse('AREA_CODE_REQUIRED');
  }
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
  const wanted = known_at ?? null;
  const window = { from: instant(at - SESSION_WINDOW_MS), until: instant(at + SESSION_WINDOW_MS) };
  const digests = await plateDigests(requireDigestKeys(env), place.code, plate);
  // An instant slightly ahead, by a wrong clock, counts as now; a later one is refused below.
  const asked = instant(Math.min(wanted ?? at, now));
  const query = { plate, areaCode, at, withSubscriptions: true, knownAt: asked, digests, window };
  const facts = await readEvidence(env.DB, place, query);
  const { configuration, knownSince } = facts;
  if (knownSince === null) {
    throw new Error(`no version of the configuration of ${place.code} is stored`);
  }
  const known = knownInstant(wanted, at, now, knownSince, lookbackOf(env, null));
  if ('passed' in known) {
    refuse(knownAtRefusal(known.passed, formatInstant(known.bound, place.timeZone)));
  }
  if (configuration === null) {
    refuse('KNOWN_AT_OUT_OF_RANGE');
  }
  const knownAt = known.at;
  const { area } = facts.now;
  // Inactive areas are accepted: only one that was never configured is refused.
  const refused = area === null ? areaRefusal(null, areaCode, event) : null;
  if (refused !== null) {
    refuse(refusalOf(refused));
  }
  const history = historyOf(facts.versions.changes, {
    window,
    areaCode: area?.code ?? null,
    openSessionMaxHours: (code) =>
      configuration.sources.find((source) => source.code === code)?.open_session_max_hours,
  });
  requireWholeHistory(history, facts.versions, place.code);
  requireWholeChecks(facts.checks, place.code);
  const then = withConfiguration(facts.known, configuration, areaCode);
  return {
    plate,
    place,
    area,
    event,
    at,
    knownAt,
    knownSince,
    checksSince: instant(Math.max(knownSince, now - retentionDays(env).callLog * DAY_MS)),
    asKnownThen: namingSource(facts.versions.mostFrom, () => judgeRecorded(then, query, event)),
    asKnownNow: judgeRecorded(facts.now, query, event),
    configuration,
    facts,
    history,
  };
}

/** The plate check's own judge, after the refusals of the municipality. */
function judgeRecorded(municipality: CheckedMunicipality, query: FactsQuery, event: AccessEvent): Judgement {
  if (!municipality.tenantActive) return { refused: 'TENANT_DISABLED' };
  if (!municipality.active) return { refused: 'MUNICIPALITY_NOT_ALLOWED' };
  return judgePlate(municipality, query, event, 'v2');
}

/** The most changes, and the most checks, that a history counts. */
export const MAX_COUNTED = 1_000;

/** Decides which changes belong to the history of an instant. */
export interface HistoryQuery {
  /** The time around the instant. */
  readonly window: Span;
  /** Null for the whole municipality. */
  readonly areaCode: string | null;
  /** How long a source's open-ended sessions count, in hours; undefined for an unknown source. */
  readonly openSessionMaxHours: (sourceCode: string) => number | undefined;
}

/**
 * Returns the changes whose record overlaps the window or that were recorded in it, in their order; with an area, only that
 * area's. A change by which the plate leaves has no record: its previous record is used.
 *
 * @param changes all changes of the plate, in the order of recording
 */
export function historyOf(changes: readonly Change[], query: HistoryQuery): Change[] {
  const latest = new Map<string, Change>();
  return changes.filter((change) => {
    const subject = subjectOf(change);
    const replaced = latest.get(subject) ?? null;
    latest.set(subject, change);
    return isOfArea(change, replaced, query) && isOfWindow(change, replaced, query);
  });
}

/**
 * How long after the session's start a change was recorded, in whole seconds; 0 if before. Null for a subscription, and if the
 * plate has left.
 */
export function lateBySeconds(change: Change): number | null {
  if (change.kind === 'subscription' || change.record === null) {
    return null;
  }
  return Math.max(0, Math.floor((change.recordedAt - change.record.starts_at) / SECOND_MS));
}

function isOfArea(change: Change, replaced: Change | null, { areaCode }: HistoryQuery): boolean {
  if (areaCode === null || change.kind === 'subscription') {
    return true;
  }
  const before = replaced?.kind === 'parking_session' ? replaced.record : null;
  return [change.record?.area_code, before?.area_code, change.leftAreaCode].includes(areaCode);
}

function isOfWindow(change: Change, replaced: Change | null, query: HistoryQuery): boolean {
  return (
    contains(query.window, change.recordedAt) ||
    spansOf(change.record === null ? (replaced ?? change) : change, query).some((span) =>
      overlaps(span, query.window),
    )
  );
}

function spansOf(change: Change, query: HistoryQuery): Span[] {
  if (change.record === null) {
    return [];
  }
  return change.kind === 'parking_session'
    ? [spanOfSession(change.record, query.openSessionMaxHours(change.sourceCode))]
    : spansOfSubscription(change.record);
}

function spanOfSession(
  { starts_at, ends_at }: RecordedSession,
  openSessionMaxHours: number | undefined,
): Span {
  const startsAt = instant(starts_at);
  const endsAt = nullableInstant(ends_at);
  const until: Instant | null =
    openSessionMaxHours === undefined ? endsAt : effectiveEnd({ startsAt, endsAt, openSessionMaxHours });
  return { from: startsAt, until };
}

const spansOfSubscription = (record: RecordedSubscription): Span[] => [
  authorizationOf(record),
  ...record.periods.map(({ starts_at, ends_at }) => ({ from: instant(starts_at), until: instant(ends_at) })),
];
