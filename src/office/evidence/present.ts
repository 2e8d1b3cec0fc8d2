import type { Language } from '../../base/text/text.ts';
import type { Judgement } from '../../core/entitlement/judge.ts';
import { presentVerdict } from '../../core/entitlement/present.ts';
import type { Instant } from '../../domain/instant.ts';
import { clockOf, presentVersion } from '../history/history.ts';
import { lateBySeconds } from './around.ts';
import type { Evidence } from './collect.ts';
import { type EvidenceResponse, MAX_LISTED, type Verdict, type VerdictRefusal } from './contract.ts';
import { freshnessThen } from './facts.ts';
import { MAX_COUNTED } from './facts-table.ts';

/** The answer of a search for evidence. Names and offsets outside the verdicts are today's. */
export function presentEvidence(evidence: Evidence, now: Instant, language: Language): EvidenceResponse {
  const { place, facts, history, knownAt } = evidence;
  const { area } = facts.now;
  const clock = clockOf(place.timeZone);
  const { shown, shownOrNull } = clock;
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
    known_at: shown(knownAt),
    known_since: shown(facts.knownSince),
    checks_since: shown(evidence.checksSince),
    erased_at: shownOrNull(facts.erasedAt),
    generated_at: shown(now),
    as_known_then: then,
    as_known_now: today,
    differs: areDifferent(then, today),
    history_count: Math.min(history.length, MAX_COUNTED),
    history: history.slice(0, MAX_LISTED).map((version) => ({
      ...presentVersion(version, clock),
      known_then: version.recordedAt <= knownAt,
      late_by_seconds: lateBySeconds(version),
    })),
    sources: evidence.configuration.sources.map((source) => {
      const { status, lastSuccessfulAt } = freshnessThen(source, facts, knownAt);
      return {
        code: source.code,
        name: source.name,
        status,
        last_successful_at: shownOrNull(lastSuccessfulAt),
      };
    }),
    checks_count: facts.checks.length,
    checks: facts.checks.slice(0, MAX_LISTED).map((check) => ({
      request_id: check.requestId,
      at: shown(check.at),
      // The statements read the calls of no other operation.
      operation: check.operation as EvidenceResponse['checks'][number]['operation'],
      credential_id: check.credentialId,
      outcome: check.outcome,
      officer_reference: check.officerReference,
    })),
  };
}

const presentJudgement = (judged: Judgement, language: Language): Verdict =>
  'refused' in judged
    ? // The judge's other code is AREA_FORBIDDEN, of a caller that is bound to areas: evidence has none.
      { refused: judged.refused as VerdictRefusal }
    : presentVerdict(judged.checked, language);

/** Whether two verdicts differ, apart from their lists. */
const areDifferent = (a: Verdict, b: Verdict): boolean =>
  JSON.stringify(gistOf(a)) !== JSON.stringify(gistOf(b));

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
