import type { ErrorCode } from '../../base/errors/error-codes.ts';
import type { Language } from '../../base/text/text.ts';
import type { Judgement } from '../../core/entitlement/judge.ts';
import { presentVerdict } from '../../core/entitlement/present.ts';
import type { Instant } from '../../domain/instant.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import { clockOf, presentVersion } from '../history/history.ts';
import type { PlateVersion } from '../history/versions.ts';
import { lateBySeconds } from './around.ts';
import {
  CHECK_OPERATIONS,
  type EvidenceResponse,
  MAX_LISTED,
  VERDICT_REFUSALS,
  type Verdict,
} from './contract.ts';
import { type CheckRow, freshnessThen } from './facts.ts';
import { MAX_COUNTED } from './facts-table.ts';
import type { Evidence } from './search.ts';

/** The answer of a search for evidence. Names and offsets outside the verdicts are today's. */
export function presentEvidence(evidence: Evidence, now: Instant, language: Language): EvidenceResponse {
  const { place, area, facts, history } = evidence;
  const { shown, shownOrNull } = clockOf(place.timeZone);
  const then = presentJudgement(evidence.asKnownThen, language);
  const today = presentJudgement(evidence.asKnownNow, language);
  return {
    api_version: '1.0',
    plate: evidence.plate,
    timezone: place.timeZone,
    municipality: { code: place.code, name: place.name },
    ...(area && { area: { code: area.code, name: area.name } }),
    event: evidence.event,
    at: shown(evidence.at),
    known_at: shown(evidence.knownAt),
    known_since: shown(evidence.knownSince),
    checks_since: shown(evidence.checksSince),
    erased_at: shownOrNull(facts.erasedAt),
    generated_at: shown(now),
    as_known_then: then,
    as_known_now: today,
    differs: areDifferent(then, today),
    history_count: Math.min(history.length, MAX_COUNTED),
    history: history.slice(0, MAX_LISTED).map((version) => presentItem(version, evidence)),
    sources: presentSources(evidence),
    checks_count: Math.min(facts.checks.length, MAX_COUNTED),
    checks: facts.checks.slice(0, MAX_LISTED).map((check) => presentCheck(check, place.timeZone)),
  };
}

function presentJudgement(judged: Judgement, language: Language): Verdict {
  return 'refused' in judged
    ? { refused: refusalOf(judged.refused) }
    : presentVerdict(judged.checked, language);
}

function refusalOf(code: ErrorCode): (typeof VERDICT_REFUSALS)[number] {
  const known = VERDICT_REFUSALS.find((refusal) => refusal === code);
  if (known === undefined) {
    throw new Error(`no verdict is refused with ${code}`);
  }
  return known;
}

/** Whether two verdicts differ, apart from their lists. */
function areDifferent(a: Verdict, b: Verdict): boolean {
  return JSON.stringify(gistOf(a)) !== JSON.stringify(gistOf(b));
}

const gistOf = (verdict: Verdict): readonly unknown[] =>
  'refused' in verdict
    ? [verdict.refused]
    : [
        verdict.has_valid_entitlement,
        verdict.has_valid_parking,
        verdict.has_valid_subscription,
        verdict.access_granted,
        verdict.access_reason_code,
      ];

const presentItem = (
  version: PlateVersion,
  { place, knownAt }: Evidence,
): EvidenceResponse['history'][number] => ({
  ...presentVersion(version, place.timeZone),
  known_then: version.recordedAt <= knownAt,
  late_by_seconds: lateBySeconds(version),
});

/** The freshness of each source, as in a report of then. */
const presentSources = ({ configuration, facts, place, knownAt }: Evidence): EvidenceResponse['sources'] =>
  configuration.sources.map((source) => {
    const { status, lastSuccessfulAt } = freshnessThen(source, facts, knownAt);
    const { shownOrNull } = clockOf(place.timeZone);
    const { code, name } = source;
    return { code, name, status, last_successful_at: shownOrNull(lastSuccessfulAt) };
  });

const presentCheck = (check: CheckRow, timeZone: string): EvidenceResponse['checks'][number] => ({
  request_id: check.requestId,
  at: formatInstant(check.at, timeZone),
  operation: CHECK_OPERATIONS.find((name) => name === check.operation) ?? 'plate_check',
  credential_id: check.credentialId,
  outcome: check.outcome,
  officer_reference: check.officerReference,
});
