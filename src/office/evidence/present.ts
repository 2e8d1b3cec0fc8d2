import type { ErrorCode } from '../../base/errors/error-codes.ts';
import type { Language } from '../../base/text/text.ts';
import type { Judgement } from '../../core/entitlement/judge.ts';
import { presentVerdict } from '../../core/entitlement/present.ts';
import { type Instant, instant } from '../../domain/instant.ts';
import { sourceFreshness } from '../../domain/source-freshness.ts';
import { formatInstant } from '../../domain/zoned-time.ts';
import type { Change } from '../../storage/history/recorded.ts';
import { presentRecord } from '../history/history.ts';
import {
  CHECK_OPERATIONS,
  type EvidenceResponse,
  MAX_LISTED,
  VERDICT_REFUSALS,
  type Verdict,
} from './contract.ts';
import type { CheckRow } from './facts.ts';
import { type Evidence, lateBySeconds, MAX_COUNTED } from './search.ts';

/** The answer of a search for evidence. Names and offsets outside the verdicts are today's. */
export function presentEvidence(evidence: Evidence, now: Instant, language: Language): EvidenceResponse {
  const { place, area, facts, history } = evidence;
  const shown = (at: Instant): string => formatInstant(at, place.timeZone);
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
    generated_at: shown(now),
    as_known_then: then,
    as_known_now: today,
    differs: areDifferent(then, today),
    history_count: Math.min(history.length, MAX_COUNTED),
    history: history.slice(0, MAX_LISTED).map((change) => presentChange(change, evidence)),
    sources: presentSources(evidence),
    checks_count: Math.min(facts.checks.count, MAX_COUNTED),
    checks: facts.checks.listed.map((check) => presentCheck(check, place.timeZone)),
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

function presentChange(
  change: Change,
  { plate, place, knownAt, facts }: Evidence,
): EvidenceResponse['history'][number] {
  const collectedAt = change.kind === 'subscription' ? facts.payments.get(change.recordedAt) : undefined;
  return {
    recorded_at: formatInstant(change.recordedAt, place.timeZone),
    request_id: change.requestId,
    known_then: change.recordedAt <= knownAt,
    kind: change.kind,
    source_code: change.sourceCode,
    key: change.key,
    late_by_seconds: lateBySeconds(change),
    ...(collectedAt !== undefined && { collected_at: formatInstant(collectedAt, place.timeZone) }),
    record: presentRecord(change, plate, place.timeZone),
  };
}

const NO_IMPORT = { lastOutcome: null, lastSuccessfulAt: null };

/** The freshness of each source, as in a report of then. */
function presentSources(evidence: Evidence): EvidenceResponse['sources'] {
  const { configuration, facts, place, knownAt } = evidence;
  return configuration.sources.map(({ code, name, is_system, stale_after_minutes }) => {
    const { lastOutcome, lastSuccessfulAt } = facts.imports.get(code) ?? NO_IMPORT;
    const source = {
      isSystem: is_system,
      staleAfterMinutes: stale_after_minutes,
      lastOutcome,
      lastSuccessfulAt,
    };
    return {
      code,
      name,
      status: sourceFreshness(source, knownAt),
      last_successful_at: lastSuccessfulAt === null ? null : formatInstant(lastSuccessfulAt, place.timeZone),
    };
  });
}

function presentCheck(check: CheckRow, timeZone: string): EvidenceResponse['checks'][number] {
  return {
    request_id: check.request_id,
    at: formatInstant(instant(check.at), timeZone),
    operation: CHECK_OPERATIONS.find((name) => name === check.operation) ?? 'plate_check',
    credential_id: check.credential_id,
    outcome: check.outcome,
    officer_reference: check.officer_reference,
  };
}
